// SPDX-License-Identifier: Apache-2.0
// The quota controller: keeps the status of ResourceQuotas, which limits are in force and what is
// used of them. The API server itself adds to what is used when an object is created; this
// controller counts anew when an object goes, or is charged for differently.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/resource_quota.h"
#include "api/kind.h"
#include "api/live_scheme.h"
#include "api/object.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/shared_informers.h"
#include "controllers/key_loop.h"

namespace dray::controllers {

/// Belongs to one thread, which calls Step() when woken. The arguments outlive it.
///
/// A count is exact: the quota is read first, then the objects of its namespace, and the status is
/// written only if the quota is still the one that was read. Whatever the server lets in meanwhile
/// changes the quota, whatever goes meanwhile makes for another count. Kinds are followed from the
/// moment when a quota names them. O(objects of the namespace) for a count.
class ResourceQuotaController {
 public:
  /// A quota that others keep changing is counted no more often.
  static constexpr std::chrono::milliseconds kBetweenCounts{20};
  /// All are counted again, because changes of some inputs are not watched: the classes of extended
  /// resources.
  static constexpr std::chrono::minutes kRecountPeriod{5};

  struct Options {
    const api::LiveScheme& scheme;  // which kinds there are
    /// Classes of devices stand for extended resources (DRAExtendedResource).
    bool extended = true;
  };

  ResourceQuotaController(client::Client& client,
                          World& world,
                          client::SharedInformers& informers,
                          Log log,
                          const Options& options);
  ResourceQuotaController(const ResourceQuotaController&) = delete;
  ResourceQuotaController& operator=(const ResourceQuotaController&) = delete;
  ~ResourceQuotaController() = default;

  /// Before the first Step: what the queue does is counted. `registry` outlives this.
  void CountIn(metrics::Registry& registry) { keys_.CountIn(registry, "resourcequota_primary"); }
  /// Handles what has arrived; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

  /// Kinds that are followed, for quotas that name them.
  size_t followed_kinds() const { return followed_.size(); }

 private:
  using Kinds = std::vector<const api::KindInfo*>;

  void LearnKinds();
  std::optional<MonotonicTime> FollowKinds();
  void ChooseKinds();
  void OnQuota(const api::Object* after);
  void OnObject(const api::KindInfo& kind, const api::Object* before, const api::Object* after);
  void Enqueue(const std::string& key);
  std::optional<MonotonicTime> Recount(MonotonicTime now);
  Kinds KindsOf(const api::Object& quota) const;
  Result<> Sync(const std::string& key);
  Result<api::core_v1::ResourceQuotaStatus> Count(const api::Object& quota);

  client::Client& client_;
  World& world_;
  client::SharedInformers& informers_;
  const bool extended_;
  const api::LiveScheme& scheme_;
  Frozen<api::Scheme> known_;  // of which kinds_ are
  Kinds kinds_;                // that can be counted
  KeyLoop keys_;
  std::map<std::string, MonotonicTime, std::less<>> counted_at_;  // by quota
  MonotonicTime recount_at_;
  client::Informer& quotas_;
  std::map<const api::KindInfo*, std::unique_ptr<client::Informer>> followed_;
  bool quotas_changed_ = true;  // and with them, perhaps, the kinds to follow
};

}  // namespace dray::controllers
