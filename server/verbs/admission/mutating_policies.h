// SPDX-License-Identifier: Apache-2.0
// Plugin MutatingAdmissionPolicy: the policies that are stored now may change the object.
#pragma once

#include "base/result.h"
#include "base/task.h"
#include "server/policies/compiled_policy.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/admission/policy_list.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

class MutatingPolicies final : public PolicyList<policies::BoundMutatingPolicy> {
 public:
  using PolicyList::PolicyList;
};

/// Applies the policies in the passage's snapshot, unless the write is the server's own. After one
/// was carried out all plugins have a second round, in which those with reinvocationPolicy IfNeeded
/// are applied again that are due.
///
/// Errors: those of policies::Mutate; kInternalError  what a policy made is no object of the kind.
Result<> ApplyPolicies(Passage& passage);

/// Whether a webhook may have to convert objects for the policies. O(log n).
bool MayConvertForMutation(const Call& call, const store::Snapshot& snapshot);
/// The same for such objects: applies the policies again until the webhook has converted all that
/// they need. Errors: also those of FetchConversions.
Task<> ApplyPoliciesToVersions(Passage* passage);

}  // namespace dray::server::verbs::admission
