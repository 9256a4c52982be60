// SPDX-License-Identifier: Apache-2.0
// Maps commits to the watches they concern: one subscription to the store for all watches of a
// server.
//
// A commit costs its events times the watchers of their collections, names and nodes; watchers of
// other scopes cost nothing. Most watches of a cluster are idle most of the time, and most of them
// are of kubelets, which follow the pods of one node.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/share_budget.h"
#include "base/strong.h"
#include "server/storage/node_field.h"
#include "server/verbs/watches/watch_cursor.h"
#include "store/store.h"

namespace dray::server::verbs::inline watches {

/// Safe from any thread. Outlives its registrations, and is outlived by the store.
class WatchHub {
 public:
  /// Most watches at one time. One HTTP/2 connection can carry a thousand of them.
  static constexpr size_t kWatchesMax = 100'000;
  /// Most revisions that are remembered for a scope of OnNode().
  static constexpr size_t kRecentMax = 1024;
  /// Each such number of bytes of selectors counts as one more watch.
  static constexpr size_t kSelectorBytesOfWatch = 256;

  /// Its destructor ends the registration; no wake for it runs afterwards.
  class Registration {
   public:
    Registration() = default;
    Registration(WatchHub* hub, std::string scope, std::shared_ptr<Wakeable> watcher)
        : hub_(hub), scope_(std::move(scope)), watcher_(std::move(watcher)) {}
    Registration(Registration&& other) noexcept { *this = std::move(other); }
    Registration& operator=(Registration&& other) noexcept {
      std::swap(hub_, other.hub_);
      scope_.swap(other.scope_);
      watcher_.swap(other.watcher_);
      return *this;
    }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration();

   private:
    WatchHub* hub_ = nullptr;
    std::string scope_;
    std::shared_ptr<Wakeable> watcher_;
  };

  explicit WatchHub(store::Store& store);

  /// Reserves a place for one watch of `owner` with selectors of `selector_bytes`; the watch holds
  /// the claim as long as it lives.
  /// Errors: kTooManyRequests  the owner's share of kWatchesMax is used, or all places are taken.
  Result<ShareBudget::Claim> Claim(const Frozen<ShareOwner>& owner, size_t selector_bytes);

  /// Wakes `watcher` after each commit that changed a key of `scope`, from the committing thread.
  /// Several commits may share a wake, and so do all registrations of one scope with the same
  /// watcher. A wake that runs out of memory is repeated with the next commit; a watcher that
  /// cannot wait for that needs a timer of its own. A scope is a prefix that ends in a slash
  /// ("/registry/pods/…/"), one whole key, or of OnNode().
  ///
  /// Errors: kTooManyRequests  kWatchesMax exist, or the store took no subscription.
  Result<Registration> Add(std::string scope, std::shared_ptr<Wakeable> watcher);

  /// The scope of the objects below `prefix` that name `node` in a field, now or before the commit.
  /// `field` is the same for all scopes of one prefix.
  static std::string OnNode(std::string_view prefix, std::string_view node);
  Result<Registration> AddOnNode(std::string scope,
                                 const storage::NodeField& field,
                                 std::shared_ptr<Wakeable> watcher);

  /// What has happened in a scope of OnNode() after a revision.
  struct Ahead {
    Revision through;              // as far as is known
    std::optional<Revision> next;  // the first that may concern the scope
  };
  /// Nothing where that is not known: before the scope was registered, or too long ago. O(log n).
  std::optional<Ahead> LookAhead(std::string_view scope, Revision after);

  /// Wakes all watchers of scopes below `prefix`, as a commit there does. O(watchers).
  void WakeBelow(std::string_view prefix);

 private:
  struct Watch {
    size_t registrations = 0;
    uint64_t round = 0;  // of the last wake: several events of one round wake once
  };
  struct Scope {
    std::map<Wakeable*, Watch> watchers = {};
    // Set in scopes of OnNode(), as what follows.
    std::optional<storage::NodeField> field = std::nullopt;
    Revision known_after{};             // all later revisions that may concern it are in `recent`
    std::vector<Revision> recent = {};  // ascending
  };
  using Scopes = std::map<std::string, Scope, std::less<>>;

  void OnCommit(Revision newest);
  Result<Registration> Register(std::string scope,
                                const storage::NodeField* field,
                                std::shared_ptr<Wakeable> watcher);
  /// False if a wake ran out of memory.
  bool Wake(const store::Event& event) DRAY_REQUIRES(mutex_);
  bool WakeFolder(std::string_view folder, const store::Event& event) DRAY_REQUIRES(mutex_);
  bool WakeNodes(Scopes::iterator first, std::string_view folder, const store::Event& event)
      DRAY_REQUIRES(mutex_);
  bool WakeNode(Scope& scope, Revision revision) DRAY_REQUIRES(mutex_);
  bool WakeScope(Scope& scope) DRAY_REQUIRES(mutex_);
  void WakeAll() DRAY_REQUIRES(mutex_);
  void Remove(const std::string& scope, Wakeable* watcher);

  store::Store& store_;
  const std::shared_ptr<ShareBudget> places_ =
      std::make_shared<ShareBudget>(ShareLimits::EighthsOf(kWatchesMax));
  Mutex mutex_;
  Scopes scopes_ DRAY_GUARDED_BY(mutex_);
  size_t watches_ DRAY_GUARDED_BY(mutex_) = 0;
  uint64_t round_ DRAY_GUARDED_BY(mutex_) = 0;
  Revision seen_ DRAY_GUARDED_BY(mutex_);
  std::optional<Error> failure_;      // constant after construction
  store::Subscription subscription_;  // last: ends before the rest goes
};

}  // namespace dray::server::verbs::inline watches
