// SPDX-License-Identifier: Apache-2.0
// Plugin ValidatingAdmissionPolicy: evaluates the stored policies on the object as it would be
// stored.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "base/mutex.h"
#include "base/result.h"
#include "server/policies/judge.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/admission/seen_records.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Keeps the policies of the newest state compiled. Thread-safe.
class Policies {
 public:
  using List = std::vector<policies::BoundPolicy>;

  explicit Policies(api::Release release) : release_(release) {}

  /// The policies that have bindings in `snapshot`, by name; null when there are none. O(log n) as
  /// long as there is no binding, else O(policies + bindings), and compiling what has changed.
  std::shared_ptr<const List> In(const store::Snapshot& snapshot);

  /// Whether a binding chose parameters by a selector when a write was last judged: then judging
  /// may take long. O(1).
  bool chooses_parameters() const { return chooses_parameters_; }

 private:
  void Learn(const store::Snapshot& snapshot) DRAY_REQUIRES(mutex_);

  const api::Release release_;
  std::atomic<bool> chooses_parameters_ = false;
  Mutex mutex_;
  std::vector<SeenRecord> seen_ DRAY_GUARDED_BY(mutex_);
  std::shared_ptr<const List> list_ DRAY_GUARDED_BY(mutex_);
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
