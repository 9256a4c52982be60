// SPDX-License-Identifier: Apache-2.0
// Which pods would have to go elsewhere so that another one fits: proposals come from the claims
// whose devices would do (suggestions.h); that all of them find a place is then tried, and undone
// where it fails.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/claims/pod_claims.h"
#include "controllers/claim_sync.h"
#include "planning/offline_cluster.h"

namespace dray::planning {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

constexpr std::string_view kPodWord = "pod ";

/// Whether somebody starts the pod again elsewhere when it is deleted, as far as that can be told.
bool CanMove(const core::Pod& pod) {
  const bool stays = std::ranges::any_of(pod.metadata.owner_references, [](const auto& owner) {
    return owner.kind == "DaemonSet" || owner.kind == "Node";
  });
  return !stays && !pod.spec.node_name.empty() && !controllers::IsDone(pod) &&
         !pod.metadata.deletion_timestamp.has_value();
}

/// The pod as it is when nobody has decided about it.
api::Object AsWaiting(const api::Object& pod) {
  api::Object waiting = pod.Clone();
  waiting.Mutable<core::Pod>().spec.node_name.clear();
  return waiting;
}

}  // namespace

/// Puts claims and what is used of nodes back as they were, unless told otherwise.
class OfflineCluster::Undo {
 public:
  explicit Undo(OfflineCluster& cluster) : cluster_(cluster), made_(cluster.made_.size()) {
    for (const auto& [name, state] : cluster.nodes_) {
      nodes_.emplace(name, Use{.requested = state.requested, .pods = state.pods});
    }
  }
  ~Undo() {
    if (is_kept_) return;
    for (auto& [key, claim] : claims_) cluster_.Keep(key, std::move(claim));
    for (; cluster_.made_.size() > made_; cluster_.made_.pop_back())
      cluster_.Drop(cluster_.made_.back());
    for (auto& [name, use] : nodes_) {
      scheduler::NodeState& state = cluster_.nodes_.at(name);
      state.requested = std::move(use.requested);
      state.pods = use.pods;
    }
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;

  /// The claim is about to change.
  void Remember(const std::string& key) { claims_.try_emplace(key, *cluster_.FindClaim(key)); }
  void KeepAll() { is_kept_ = true; }

 private:
  struct Use {
    scheduler::Amounts requested;
    int64_t pods;
  };
  OfflineCluster& cluster_;
  const size_t made_;  // claims for extended resources that stay
  std::map<std::string, Use> nodes_;
  std::map<std::string, api::Object> claims_;
  bool is_kept_ = false;
};

/// Keys of the claims that have devices, sorted: their places among the holders.
std::vector<std::string> OfflineCluster::AllocatedClaims() const {
  std::vector<std::string> keys;
  for (const auto& [key, placed] : objects_.claims) {
    if (placed.object.As<v1::ResourceClaim>().status.allocation.has_value()) keys.push_back(key);
  }
  return keys;
}

/// Uids of the claims that have devices and whose users cannot all go elsewhere.
std::set<std::string> OfflineCluster::ClaimsThatStay() const {
  std::set<std::string> movable;
  for (const PlacedObject& placed : objects_.pods) {
    if (CanMove(placed.object.As<core::Pod>())) movable.insert(placed.object.metadata().uid);
  }
  std::set<std::string> stay;
  for (const auto& [key, placed] : objects_.claims) {
    const auto& claim = placed.object.As<v1::ResourceClaim>();
    const auto& users = claim.status.reserved_for;
    const bool can_go = !users.empty() && std::ranges::all_of(users, [&](const auto& user) {
      return movable.contains(user.uid);
    });
    if (!can_go) stay.insert(claim.metadata.uid);
  }
  return stay;
}

std::vector<const PlacedObject*> OfflineCluster::UsersOf(
    const std::set<std::string>& claims) const {
  std::set<std::string> uids;
  for (const std::string& key : claims) {
    for (const auto& user : FindClaim(key)->As<v1::ResourceClaim>().status.reserved_for)
      uids.insert(user.uid);
  }
  std::vector<const PlacedObject*> users;
  for (const PlacedObject& placed : objects_.pods) {
    if (uids.contains(placed.object.metadata().uid)) users.push_back(&placed);
  }
  return users;
}

/// The pod stops: what only it had is free.
void OfflineCluster::Leave(const core::Pod& pod, Undo& undo) {
  if (const auto node = nodes_.find(pod.spec.node_name); node != nodes_.end()) {
    --node->second.pods;
    for (const auto& [resource, amount] : scheduler::RequestsOf(pod))
      node->second.requested[resource] -= amount;
  }
  for (const std::string& key : AllocatedClaims()) {
    const api::Object& claim = *FindClaim(key);
    if (!api::claims::IsReservedFor(claim.As<v1::ResourceClaim>(), pod.metadata.uid)) continue;
    undo.Remember(key);
    api::Object changed = claim.Clone();
    auto& status = changed.Mutable<v1::ResourceClaim>().status;
    std::erase_if(status.reserved_for,
                  [&](const auto& user) { return user.uid == pod.metadata.uid; });
    if (status.reserved_for.empty()) status.allocation.reset();
    Keep(key, std::move(changed));
  }
}

/// Gives the suggested node to `what` and looks for places for those who had it. Where one finds
/// none, its claims are added to `stays`.
std::optional<OfflineAnswer> OfflineCluster::TryMoves(const std::string& what,
                                                      const Suggestion& suggestion,
                                                      std::set<std::string>& stays) {
  const std::vector<std::string> holders = AllocatedClaims();
  std::set<std::string> freed;
  for (const size_t place : suggestion.freed) freed.insert(holders[place]);
  std::vector<PlacedObject> users;
  for (const PlacedObject* user : UsersOf(freed)) users.push_back(*user);
  const auto keep_claims = [&] {
    for (const std::string& key : freed) stays.insert(FindClaim(key)->metadata().uid);
  };
  std::multimap<std::string, std::string> claims_of;  // uids, by that of the user
  for (const std::string& key : freed) {
    const auto& claim = FindClaim(key)->As<v1::ResourceClaim>();
    for (const auto& user : claim.status.reserved_for)
      claims_of.emplace(user.uid, claim.metadata.uid);
  }
  if (users.empty() || users.size() > kMovesMax) {
    keep_claims();
    return std::nullopt;
  }
  Undo undo(*this);
  for (const PlacedObject& user : users) Leave(user.object.As<core::Pod>(), undo);
  const auto everywhere = std::exchange(looked_at_, {&nodes_.at(suggestion.node)});
  OfflineAnswer answer = Place(what, undo);
  looked_at_ = everywhere;
  if (answer.verdict != Verdict::kFits) {
    keep_claims();
    return std::nullopt;
  }
  for (const PlacedObject& user : users) {
    const api::Object& pod = user.object;
    OfflineAnswer there = PlacePod(AsWaiting(pod), user.place, undo);
    if (there.verdict != Verdict::kFits) {
      const auto [first, last] = claims_of.equal_range(pod.metadata().uid);
      for (auto claim = first; claim != last; ++claim) stays.insert(claim->second);
      return std::nullopt;
    }
    answer.moves.push_back({.pod = api::ObjectKey(pod.metadata()),
                            .from = pod.As<core::Pod>().spec.node_name,
                            .to = there.node,
                            .claims = std::move(there.claims)});
  }
  undo.KeepAll();
  for (const Move& move : answer.moves) {
    const auto moved = std::ranges::find_if(objects_.pods, [&](const PlacedObject& placed) {
      return api::ObjectKey(placed.object.metadata()) == move.pod;
    });
    api::Object changed = moved->object.Clone();
    changed.Mutable<core::Pod>().spec.node_name = move.to;
    moved->object = std::move(changed);
  }
  return answer;
}

OfflineAnswer OfflineCluster::PlacePod(api::Object pod, const std::string& place, Undo& undo) {
  PrepareClaims(pod.Mutable<core::Pod>());
  for (const std::string& key : api::claims::KeysOf(pod.As<core::Pod>())) {
    if (FindClaim(key) != nullptr) undo.Remember(key);
  }
  return AllocatePod(pod, place);
}

OfflineAnswer OfflineCluster::Place(const std::string& what, Undo& undo) {
  const std::string key = what.substr(what.find(' ') + 1);
  if (what.starts_with(kPodWord)) {
    const PlacedObject& placed = *FindPod(key);
    return PlacePod(placed.object.Clone(), placed.place, undo);
  }
  undo.Remember(key);
  return AllocateClaim(key);
}

std::optional<OfflineAnswer> OfflineCluster::Defragment(const std::string& what) {
  std::set<std::string> stays = ClaimsThatStay();
  for (size_t tried = 0; tried < kMovesTriedMax;) {
    const auto answer = Explain(what, stays);
    if (!answer.has_value() || answer->verdict != Verdict::kDoesNotFit) return std::nullopt;
    bool any = false;
    for (const Suggestion& suggestion : answer->explanation.suggestions) {
      if (suggestion.kind != ChangeKind::kFreeClaims || tried == kMovesTriedMax) continue;
      any = true;
      ++tried;
      if (auto moved = TryMoves(what, suggestion, stays)) return moved;
    }
    if (!any) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace dray::planning
