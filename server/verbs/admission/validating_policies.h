// SPDX-License-Identifier: Apache-2.0
// Plugin ValidatingAdmissionPolicy: evaluates the stored policies on the object as it would be
// stored.
#pragma once

#include "base/result.h"
#include "server/policies/compiled_policy.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/admission/policy_list.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

class Policies final : public PolicyList<policies::BoundPolicy> {
 public:
  using PolicyList::PolicyList;
};

/// Evaluates the policies in `snapshot` on the write, unless it is the server's own. Warnings and
/// annotations go to the call. Writes of policies and bindings are not evaluated, as upstream.
///
/// Errors: the refusal of a policy, in upstream's words; kInvalid, kForbidden,
///         kRequestEntityTooLarge.
Result<> AskPolicies(const Call& call, const store::Snapshot& snapshot, const Write& write);

/// Whether the policies may want the object in a version that only a webhook can make.
bool MayConvertForPolicies(const Call& call, const store::Snapshot& snapshot);
/// The same as AskPolicies, with the object in every version that they want.
Task<> AskPoliciesOfVersions(Passage* passage);

}  // namespace dray::server::verbs::admission
