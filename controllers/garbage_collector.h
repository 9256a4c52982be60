// SPDX-License-Identifier: Apache-2.0
// The garbage collector: deletes what has lost all its owners, and carries out the deletions that
// ask for orphans or for dependents first. The shell around garbage.h.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/live_scheme.h"
#include "api/object.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/shared_informers.h"
#include "controllers/garbage.h"
#include "controllers/key_loop.h"

namespace dray::controllers {

/// Mirrors every kind but Events, which nothing waits for. Belongs to one thread, which calls
/// Step() when woken. The arguments outlive it.
class GarbageCollector {
 public:
  GarbageCollector(client::Client& client,
                   World& world,
                   client::SharedInformers& informers,
                   Log log,
                   const api::LiveScheme& scheme);
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;
  ~GarbageCollector() = default;

  /// Before the first Step: what the queue does is counted. `registry` outlives this.
  void CountIn(metrics::Registry& registry) {
    keys_.CountIn(registry, "garbage_collector_attempt_to_delete");
  }
  /// Handles what has arrived and some objects; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

 private:
  using Keys = std::set<std::string, std::less<>>;

  /// A kind, and its objects.
  struct Mirror {
    const api::KindInfo* kind;
    client::Informer* objects;
    std::unique_ptr<client::Informer> own = nullptr;  // of custom kinds
  };

  void FollowKinds();
  void FollowKind(const api::KindInfo& kind);
  std::optional<MonotonicTime> Follow();
  bool synced() const;
  void OnChange(size_t mirror, const api::Object* before, const api::Object* after);
  void Index(const std::string& key, const api::Object* before, const api::Object* after);
  void EnqueueWaitingOwners(const api::Object& dependent);
  void Enqueue(const std::string& key);
  void EnqueueAll();

  Result<> Sync(const std::string& key);
  Result<> Perform(const api::Object& object, const GarbageAction& action);
  Result<> Orphan(const std::string& owner_uid);
  Result<> RemoveOwnersOf(const api::Object& object, const std::vector<std::string>& uids);
  Result<> Collect(const api::Object& object, std::string_view policy);

  /// By the key that Enqueue takes; null when it is not there.
  const api::Object* Find(const std::string& key) const;
  const Keys& DependentsOf(std::string_view uid) const;
  Dependents Summary(const api::Object& owner) const;
  Result<OwnerState> StateOf(const api::Object& object,
                             const api::meta_v1::OwnerReference& reference);
  /// The mirror of the kind a reference names; null for one that is not followed.
  const Mirror* MirrorOf(const api::meta_v1::OwnerReference& reference) const;

  client::Client& client_;
  const api::LiveScheme& scheme_;
  client::SharedInformers& informers_;
  Frozen<api::Scheme> followed_;         // its kinds have mirrors
  std::set<const api::KindInfo*> hubs_;  // of the mirrors
  KeyLoop keys_;
  std::map<std::string, Keys, std::less<>> dependents_;  // by the uid of their owner
  std::vector<Mirror> mirrors_;
};

}  // namespace dray::controllers
