// SPDX-License-Identifier: Apache-2.0
// The controller of what is wrong with the types of ValidatingAdmissionPolicies: it checks each
// generation of a policy once and writes status.typeChecking. After Kubernetes'
// validatingadmissionpolicy-status.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "api/admissionregistration_v1/policy.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/shared_informers.h"
#include "controllers/key_loop.h"

namespace dray::controllers {

/// What is wrong with the expressions of a policy; may be called from any thread.
using CheckPolicyTypes =
    std::function<std::vector<api::admissionregistration_v1::ExpressionWarning>(
        const api::admissionregistration_v1::ValidatingAdmissionPolicy& policy)>;

/// Belongs to one thread, which calls Step() when woken. The arguments outlive it.
class PolicyTypes {
 public:
  PolicyTypes(client::Client& client,
              World& world,
              client::SharedInformers& informers,
              Log log,
              CheckPolicyTypes check);
  PolicyTypes(const PolicyTypes&) = delete;
  PolicyTypes& operator=(const PolicyTypes&) = delete;
  ~PolicyTypes() = default;

  /// Before the first Step: what the queue does is counted. `registry` outlives this.
  void CountIn(metrics::Registry& registry) {
    keys_.CountIn(registry, "validatingadmissionpolicy-status");
  }
  /// Handles what has arrived and some keys; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

 private:
  void Enqueue(const api::Object& policy);
  Result<> Sync(std::string_view key);

  client::Client& client_;
  const CheckPolicyTypes check_;
  KeyLoop keys_;
  client::Informer& policies_;
};

}  // namespace dray::controllers
