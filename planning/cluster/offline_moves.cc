// SPDX-License-Identifier: Apache-2.0
// Which pods could move so that another one fits. Suggestions name claims whose devices would do
// (suggestions.h). Each proposal is carried out to test that all moved pods find a place, and
// undone if one does not.
#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/claims/pod_claims.h"
#include "client/mirror.h"
#include "controllers/claim_sync.h"
#include "planning/cluster/offline_cluster.h"

namespace dray::planning::inline cluster {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

constexpr std::string_view kPodWord = "pod ";

/// Whether a controller recreates the pod elsewhere when it is deleted, as far as is known.
bool CanMove(const core::Pod& pod) {
  const bool stays = std::ranges::any_of(pod.metadata.owner_references, [](const auto& owner) {
    return owner.kind == "DaemonSet" || owner.kind == "Node";
  });
  return !stays && !pod.spec.node_name.empty() && !controllers::IsDone(pod) &&
         !pod.metadata.deletion_timestamp.has_value();
}

/// The pod before any decision about it.
api::Object AsWaiting(const api::Object& pod) {
  api::Object waiting = pod.Clone();
  waiting.Mutable<core::Pod>().spec.node_name.clear();
  return waiting;
}

}  // namespace

/// Restores pods and claims at destruction, unless it is dismissed. At most one exists at a time.
class OfflineCluster::Undo {
 public:
  explicit Undo(OfflineCluster& cluster) : cluster_(cluster) { cluster.undo_ = this; }
  ~Undo() {
    cluster_.undo_ = nullptr;
    if (is_kept_) return;
    for (const auto& change : changes_ | std::views::reverse) {
      change.mirror->Remove(change.key);  // a pod that loses its node is another one
      if (!change.before.empty()) change.mirror->Put(change.before);
    }
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;

  /// Records the state before a change.
  void Remember(client::Mirror& mirror, const api::Object* before, const api::Object* after) {
    changes_.push_back({.mirror = &mirror,
                        .key = api::ObjectKey((after != nullptr ? after : before)->metadata()),
                        .before = before != nullptr ? *before : api::Object()});
  }
  void KeepAll() { is_kept_ = true; }

 private:
  struct Change {
    client::Mirror* mirror;
    std::string key;
    api::Object before;  // empty: there was none
  };
  OfflineCluster& cluster_;
  std::vector<Change> changes_;
  bool is_kept_ = false;
};

void OfflineCluster::FollowChanges() {
  for (client::Mirror* mirror : {&cluster_.objects().pods, &cluster_.objects().claims}) {
    mirror->OnChange([this, mirror](auto* before, auto* after) {
      if (undo_ != nullptr) undo_->Remember(*mirror, before, after);
      ForgetAfter(before, after);
    });
  }
}

void OfflineCluster::ForgetAfter(const api::Object* before, const api::Object* after) {
  const auto* const claim = (after != nullptr ? after : before)->If<v1::ResourceClaim>();
  const auto has_devices = [](const api::Object* object) {
    return object != nullptr && object->As<v1::ResourceClaim>().status.allocation.has_value();
  };
  // A claim that neither has nor had devices changes no answer.
  if (claim != nullptr && !has_devices(before) && !has_devices(after)) return;
  decided_groups_.clear();
  said_.clear();
  failed_.clear();
  if (claim == nullptr) return;
  holders_.reset();
  explained_.Forget();
}

/// Sorted keys of the claims that have devices; the order of the holders.
std::vector<std::string> OfflineCluster::AllocatedClaims() const {
  std::vector<std::string> keys;
  for (const auto& [key, claim] : cluster_.objects().claims.objects()) {
    if (claim.As<v1::ResourceClaim>().status.allocation.has_value()) keys.push_back(key);
  }
  return keys;
}

std::vector<Frozen<v1::ResourceClaim>> OfflineCluster::ClaimsNow() const {
  std::vector<Frozen<v1::ResourceClaim>> claims;
  for (const auto& [key, claim] : cluster_.objects().claims.objects())
    claims.push_back(api::FrozenOf<v1::ResourceClaim>(claim));
  return claims;
}

/// Uids of the claims that have devices and whose users cannot all go elsewhere.
std::set<std::string> OfflineCluster::ClaimsThatStay() const {
  std::set<std::string> movable;
  for (const PlacedObject& placed : objects_.pods) {
    if (CanMove(placed.object.As<core::Pod>())) movable.insert(placed.object.metadata().uid);
  }
  std::set<std::string> stay;
  for (const auto& [key, object] : cluster_.objects().claims.objects()) {
    const auto& claim = object.As<v1::ResourceClaim>();
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

/// Stops the pod and frees what only it had.
void OfflineCluster::Leave(const core::Pod& pod) {
  cluster_.objects().pods.Remove(api::ObjectKey(pod.metadata));
  for (const std::string& key : AllocatedClaims()) {
    const api::Object& claim = *FindClaim(key);
    if (!api::claims::IsReservedFor(claim.As<v1::ResourceClaim>(), pod.metadata.uid)) continue;
    api::Object changed = claim.Clone();
    auto& status = changed.Mutable<v1::ResourceClaim>().status;
    std::erase_if(status.reserved_for,
                  [&](const auto& user) { return user.uid == pod.metadata.uid; });
    if (status.reserved_for.empty()) status.allocation.reset();
    cluster_.objects().claims.Put(changed);
  }
}

/// Gives `what` its place on the suggested node and finds places for the pods that move away. If
/// one finds none, adds its claims to `stays`.
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
  std::multimap<std::string, std::string> claims_of;  // uids, by the uid of the pod
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
  for (const PlacedObject& user : users) Leave(user.object.As<core::Pod>());
  const auto everywhere = std::exchange(only_, DomainOf(suggestion.node));
  failed_.clear();
  OfflineAnswer answer = Place(what);
  only_ = everywhere;
  failed_.clear();
  if (answer.verdict != Verdict::kFits) {
    keep_claims();
    return std::nullopt;
  }
  for (const PlacedObject& user : users) {
    const api::Object& pod = user.object;
    OfflineAnswer there = PlacePod(AsWaiting(pod), user.place);
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

OfflineAnswer OfflineCluster::PlacePod(api::Object pod, const std::string& place) {
  PrepareClaims(pod);
  return AllocatePod(pod, place);
}

OfflineAnswer OfflineCluster::Place(const std::string& what) {
  const std::string key = what.substr(what.find(' ') + 1);
  if (!what.starts_with(kPodWord)) return AllocateClaim(key);
  const PlacedObject& placed = *FindPod(key);
  return PlacePod(placed.object.Clone(), placed.place);
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

}  // namespace dray::planning::inline cluster
