// SPDX-License-Identifier: Apache-2.0
// APIServices that other servers answer for: whether each can be reached, which their conditions
// say, and where requests for them go. After kube-aggregator's available controllers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "api/apiregistration_v1.h"
#include "base/mutex.h"
#include "base/published.h"
#include "base/result.h"
#include "base/world.h"
#include "server/verbs/context/call.h"
#include "server/verbs/watches/watch_hub.h"
#include "server/webhooks/caller.h"
#include "store/snapshot.h"

namespace dray::server::verbs::inline controllers {

/// A group and version that another server answers for.
struct RemoteApi {
  api::apiregistration_v1::APIServiceSpec spec;
  bool is_available = false;
  std::string resources = {};  // AggregatedResources(); empty: not known
};

/// A request for it.
struct RemoteRequest {
  net::client::ClientRequest request;
  MonotonicTime deadline = {};
  Frozen<ShareOwner> owner = nullptr;
};

/// All of them. Immutable.
class RemoteApiList {
 public:
  RemoteApi& Add(RemoteApi api);

  /// Null: this server answers itself. O(log n).
  const RemoteApi* Find(std::string_view group, std::string_view version) const;
  /// The document of /apis/GROUP; empty: no other server answers for the group.
  std::string GroupJson(std::string_view group) const;

  using IsHere = std::function<bool(std::string_view group)>;
  /// `document`, which is /apis of this server, and after its groups those of the list that are not
  /// here. O(size).
  std::string WithGroups(std::string document, const IsHere& is_here) const;
  /// The same for its aggregated form.
  std::string WithAggregatedGroups(std::string document, const IsHere& is_here) const;
  bool is_empty() const { return apis_.empty(); }

 private:
  using Key = std::pair<std::string, std::string>;  // group and version

  std::vector<const RemoteApi*> VersionsOf(std::string_view group) const;
  std::vector<std::string_view> GroupsByPriority() const;

  std::map<Key, RemoteApi> apis_;
};

/// Start() once; all else happens on a thread of its own, which begins with the first APIService
/// that names a service. Each round looks at all of them, writes conditions that are not as they
/// should be, and publishes the list. Rounds begin with a commit to APIServices, services or their
/// endpoints, and from time to time. The arguments outlive it.
class RemoteApis {
 public:
  RemoteApis(const Core& core, WatchHub& hub);
  RemoteApis(const RemoteApis&) = delete;
  RemoteApis& operator=(const RemoteApis&) = delete;
  /// Waits for a round under way.
  ~RemoteApis();

  /// Errors: those of WatchHub::Add.
  Result<> Start();

  /// As of the last round. Any thread.
  Frozen<RemoteApiList> Now() const { return list_.Load(); }

  /// Sends a request to the server behind `api`; as webhooks::Caller::Forward. Any thread.
  void Forward(const RemoteApi& api, RemoteRequest request, webhooks::Caller::Done done) const;

 private:
  using Service = api::apiregistration_v1::APIService;
  using Judgement = api::apiregistration_v1::APIServiceCondition;
  /// What a round found out about one.
  struct Look {
    Judgement judgement;
    std::string resources = {};
  };
  class Doorbell;

  void Ring();
  bool FindsRemote() DRAY_REQUIRES(mutex_);
  void Run();
  void Round();
  void Learn(const store::Snapshot& snapshot);
  /// Asks the server, which takes some seconds at most.
  Look LookAt(const store::Snapshot& snapshot,
              const api::apiregistration_v1::APIServiceSpec& spec) const;
  void FollowServices();
  void Publish();
  void Write(const Service& service, Judgement judgement);

  const Core& core_;
  WatchHub& hub_;
  Published<RemoteApiList> list_{std::make_shared<const RemoteApiList>()};
  // The thread owns these.
  std::map<std::string, Service> services_;  // those that this server does not answer for
  std::map<std::string, Look> looks_;        // at them
  bool follows_services_ = false;

  Mutex mutex_;
  Condition changed_;
  Revision seen_ DRAY_GUARDED_BY(mutex_);  // without a thread
  bool is_rung_ DRAY_GUARDED_BY(mutex_) = false;
  bool is_ending_ DRAY_GUARDED_BY(mutex_) = false;
  std::thread thread_ DRAY_GUARDED_BY(mutex_);
  std::shared_ptr<Doorbell> doorbell_;
  std::vector<WatchHub::Registration> registrations_;  // last: no ring comes after they are gone
};

}  // namespace dray::server::verbs::inline controllers
