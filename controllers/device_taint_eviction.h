// SPDX-License-Identifier: Apache-2.0
// The device-taint-eviction controller: deletes pods whose devices got a taint with effect
// NoExecute that their claims do not tolerate, and reports the progress in the status of the
// DeviceTaintRule (KEP-5055). The shell around eviction.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "client/shared_informers.h"
#include "controllers/eviction.h"
#include "controllers/key_loop.h"
#include "metrics/registry.h"

namespace dray::controllers {

/// Belongs to one thread, which calls Step() when woken. The arguments outlive it.
class DeviceTaintEviction {
 public:
  /// Between two writes of a rule's status.
  static constexpr std::chrono::seconds kStatusPeriod{10};

  /// Without `rules` only taints that drivers publish count.
  DeviceTaintEviction(client::Client& client,
                      World& world,
                      client::SharedInformers& informers,
                      Log log,
                      bool rules);
  DeviceTaintEviction(const DeviceTaintEviction&) = delete;
  DeviceTaintEviction& operator=(const DeviceTaintEviction&) = delete;
  ~DeviceTaintEviction() = default;

  /// Before the first Step: evictions are counted. `registry` outlives this.
  void CountIn(metrics::Registry& registry);
  /// Handles what has arrived and some keys; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

 private:
  using Rule = api::resource_v1::DeviceTaintRule;

  void OnPod(const api::Object* before, const api::Object* after);
  void OnClaim(const api::Object* before, const api::Object* after);
  void OnSlice(const api::Object* before, const api::Object* after);
  void OnRule(const api::Object* before, const api::Object* after);
  bool AnyTaints() const;
  void Enqueue(std::string_view type, std::string_view key);
  void EnqueueUsers(const api::resource_v1::ResourceClaim& claim);
  void EnqueueAll();

  Result<> Sync(const std::string& key);
  Result<> SyncPod(const std::string& key, MonotonicTime now);
  Result<> Evict(const api::Object& pod, const Eviction& eviction);
  Result<> SyncRule(const std::string& name, MonotonicTime now);
  Result<> WriteStatus(const api::Object& rule, api::meta_v1::Condition condition);

  /// `as_if`, if not null, counts as if its effect were NoExecute.
  std::optional<Eviction> EvictionOfPod(const api::core_v1::Pod& pod, const Rule* as_if) const;
  void VisitTaints(const api::resource_v1::DeviceRequestAllocationResult& device,
                   const Rule* as_if,
                   const VisitTaint& visit) const;
  RuleProgress ProgressOf(const Rule& rule) const;
  void CountDevices(const Rule& rule, RuleProgress& progress) const;
  /// The slices of the pool's newest generation.
  std::vector<const api::resource_v1::ResourceSlice*> SlicesOf(const std::string& pool) const;

  client::Client& client_;
  World& world_;
  Log log_;
  client::EventRecorder events_;
  KeyLoop keys_;
  metrics::Counter deletions_;
  metrics::Histogram deletion_seconds_;  // from the moment that the pod had to go
  std::map<std::string, Eviction, std::less<>> scheduled_;  // by pod uid: not carried out yet
  std::map<std::string, size_t, std::less<>> evicted_;      // pods, by rule uid
  std::set<std::string, std::less<>> tainted_slices_;       // with effect NoExecute

  client::Informer& pods_;
  client::Informer& claims_;
  client::Informer& slices_;
  client::Informer* rules_ = nullptr;
  size_t claims_by_pool_ = 0;
  size_t pods_by_group_ = 0;
  size_t slices_by_pool_ = 0;
};

}  // namespace dray::controllers
