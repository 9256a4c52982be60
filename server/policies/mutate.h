// SPDX-License-Identifier: Apache-2.0
// Applies the mutating policies of a server to one write. Pure. After apiserver's
// mutating/dispatcher.go.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "base/result.h"
#include "server/policies/admission_request.h"
#include "server/policies/check_metrics.h"
#include "server/policies/compiled_policy.h"
#include "server/policies/surroundings.h"

namespace dray::server::policies {

/// The object that policies change, which is AdmissionRequest::object.
class ChangedObject {
 public:
  /// As JSON, with kind and apiVersion.
  virtual std::string TextIn(const api::KindInfo& version) const = 0;
  /// Makes it what `json` says, an object of `version`, with its defaults. Unknown fields are
  /// errors. Returns whether it is another object now.
  ///
  /// Errors: those that end the request, whatever a policy's failurePolicy is.
  virtual Result<bool> Replace(const api::KindInfo& version, std::string_view json) = 0;

 protected:
  ~ChangedObject() = default;
};

/// The policies that may run again for one write, by name: in the first round those that ran after
/// the last change by another policy, and those that must run.
struct Reinvocations {
  std::set<std::string> asked = {}, due = {};

  /// The object changed: who was asked before is due.
  void NoteChange() {
    due.merge(asked);
    asked.clear();
  }
};

/// One round of policies. The names in `reinvocations` stand for a policy, its binding and a
/// parameter.
struct PolicyRound {
  bool is_second = false;
  Reinvocations& reinvocations;
  CheckLog* log = nullptr;  // gets the mutations; null: they are not measured
};

/// Applies what matches the request, by the names of policies, bindings and parameters; each
/// mutation sees what those before it made. What matches is found out before the first change. In
/// the second round only those are applied that are due. `object` is null where there is nothing to
/// change: then only the configuration is judged.
///
/// Returns whether a mutation was carried out: then all who change objects have a second round.
///
/// Errors: kForbidden (HTTP 403, with the reason of the first failure)  policies failed whose
///         failures are not ignored, in upstream's words, a cause for each; kNotFound  the
///         namespace is not there; those of ChangedObject.
Result<bool> Mutate(std::span<const BoundMutatingPolicy> policies,
                    const AdmissionRequest& request,
                    const Surroundings& surroundings,
                    ChangedObject* object,
                    PolicyRound round);

}  // namespace dray::server::policies
