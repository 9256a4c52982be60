// SPDX-License-Identifier: Apache-2.0
// All controllers on one thread.
#pragma once

#include <optional>

#include "api/kind.h"
#include "api/live_scheme.h"
#include "base/log.h"
#include "base/world.h"
#include "client/client.h"
#include "client/loop.h"
#include "controllers/device_taint_eviction.h"
#include "controllers/garbage_collector.h"
#include "controllers/namespaces.h"
#include "controllers/node_taints.h"
#include "controllers/pod_garbage.h"
#include "controllers/pod_group_protection.h"
#include "controllers/policy_types.h"
#include "controllers/resource_claim.h"
#include "controllers/resource_pool_status.h"
#include "controllers/resource_quota.h"
#include "controllers/role_aggregation.h"
#include "metrics/registry.h"

namespace dray::controllers {

/// One thread runs Run(). The arguments outlive it.
class Manager {
 public:
  /// Which of them there are, as feature gates say.
  struct Options {
    bool taint_eviction = true;      // DRADeviceTaints
    bool pool_status = true;         // DRAResourcePoolStatus
    bool pod_groups = false;         // GenericWorkload, where pod groups are served
    bool group_claims = false;       // with that, DRAWorkloadResourceClaims
    bool extended_resources = true;  // DRAExtendedResource
    ClassicClaims classic = ClassicClaims::kNone;
    /// What is counted; outlives the manager. Null: nothing.
    metrics::Registry* metrics = nullptr;
    /// Checks the types of admission policies; not set: they are not checked.
    CheckPolicyTypes check_policy_types = {};
    /// DRADeviceTaintRules: the rules count, as in this release.
    std::optional<api::Release> taint_rules = api::Release::kNewest;
  };

  Manager(client::Client& client,
          World& world,
          const Log& log,
          const api::LiveScheme& scheme,
          const Options& options);
  ~Manager() { Stop(); }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  /// Works until Stop().
  void Run() {
    loop_.Run(clock_, [this] { return Step(); });
  }
  /// From any thread.
  void Stop() { loop_.Stop(); }
  /// One turn of Run, for tests and simulation.
  std::optional<MonotonicTime> Step();

 private:
  void CountIn(metrics::Registry& registry);

  const Clock& clock_;
  client::Loop loop_;
  client::SharedInformers informers_;
  ResourceClaimController claims_;
  NamespaceController namespaces_;
  GarbageCollector garbage_;
  ResourceQuotaController quotas_;
  NodeTaints node_taints_;
  PodGarbage pod_garbage_;
  RoleAggregation roles_;
  std::optional<DeviceTaintEviction> evictions_;
  std::optional<ResourcePoolStatus> pool_status_;
  std::optional<PodGroupProtection> pod_groups_;
  std::optional<PolicyTypes> policy_types_;
  api::LiveScheme::Listening listening_;  // last: it wakes the loop
};

}  // namespace dray::controllers
