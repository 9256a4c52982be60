// SPDX-License-Identifier: Apache-2.0
// The pool status controller: answers ResourcePoolStatusRequests, once each, and deletes them when
// they have become old (KEP-5677). The shell around pool_status.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/release.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/shared_informers.h"
#include "controllers/key_loop.h"

namespace dray::controllers {

/// Belongs to one thread, which calls Step() when woken. The arguments outlive it. Slices and
/// claims are listed for each request, and not followed.
class ResourcePoolStatus {
 public:
  /// A pool whose slices are not all there is read again so often, with growing delays; then the
  /// answer is what is known.
  static constexpr size_t kTriesMax = 5;
  /// Answered requests stay for the first, others for the second.
  static constexpr std::chrono::hours kAnsweredFor{1};
  static constexpr std::chrono::hours kPendingFor{24};
  static constexpr std::chrono::minutes kSweepPeriod{10};

  /// With `taint_rules` DeviceTaintRules make devices unavailable, as in that release.
  ResourcePoolStatus(client::Client& client,
                     World& world,
                     client::SharedInformers& informers,
                     Log log,
                     std::optional<api::Release> taint_rules);
  ResourcePoolStatus(const ResourcePoolStatus&) = delete;
  ResourcePoolStatus& operator=(const ResourcePoolStatus&) = delete;
  ~ResourcePoolStatus() = default;

  /// Handles what has arrived; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

 private:
  Result<> Sync(const std::string& name);
  std::optional<MonotonicTime> Sweep(MonotonicTime now);
  bool IsOld(const api::Object& request) const;

  client::Client& client_;
  World& world_;
  Log log_;
  const std::optional<api::Release> taint_rules_;
  KeyLoop keys_;
  std::map<std::string, size_t> tries_;  // by name, while a pool is incomplete
  MonotonicTime sweep_at_;
  client::Informer& requests_;
};

}  // namespace dray::controllers
