// SPDX-License-Identifier: Apache-2.0
// Depth-first search over members, and for each over nodes. Each node has a list of claims, for
// which all devices are chosen anew whenever a pod is added to the node. Nodes are independent of
// each other except for devices that several nodes can use and claims that several pods share. For
// these the search may need another choice, and gets it by banning one of the devices used. Every
// other solution lacks at least one of them, so this finds all solutions.
#include "scheduler/groups/gang_search.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/resource_v1/slice.h"
#include "api/selectors/node_selector_match.h"
#include "base/try.h"

namespace dray::scheduler::inline groups {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using resource_v1::AllocationResult;
using resource_v1::ResourceClaim;

constexpr size_t kNowhere = static_cast<size_t>(-1);

/// A claim whose devices are chosen together with those of its node.
struct Slot {
  size_t member;
  std::optional<size_t> claim;  // none: the one for extended resources
  Frozen<ResourceClaim> wanted;
};

/// A member on a node, with devices for all slots of the node.
struct GangTrial {
  Placement placement;
  std::vector<AllocationResult> of_node;  // for the slots before the member's
};

class Search {
 public:
  Search(std::span<const GroupMember> members,
         size_t needed,
         const GangBoard& board,
         PlacedSoFar& placed)
      : members_(members),
        needed_(needed),
        board_(board),
        placed_(placed),
        questions_left_(board.questions_max),
        slots_(board.nodes.size()),
        node_of_(members.size(), kNowhere),
        placements_(members.size()) {
    for (const GroupMember& member : members) {
      for (const api::Object& claim : member.claims) ++users_[claim.metadata().uid];
    }
    for (size_t i = 0; i < members.size(); ++i) like_previous_.push_back(i > 0 && IsLike(i, i - 1));
  }

  bool Run() { return From(0); }
  std::vector<std::optional<Placement>> Take() && { return std::move(placements_); }

 private:
  const core_v1::Node& NodeAt(size_t node) const { return board_.nodes[node]->value(); }

  /// Whether the two are interchangeable: they have equal requests, share no claim, and look the
  /// same to rules of other pods.
  bool IsLike(size_t one, size_t other) const {
    const api::meta_v1::ObjectMeta& meta = members_[one].value().metadata;
    const api::meta_v1::ObjectMeta& peer_meta = members_[other].value().metadata;
    if (meta.labels != peer_meta.labels || meta.owner_references != peer_meta.owner_references) {
      return false;
    }
    const auto& claims = members_[one].claims;
    const auto& others = members_[other].claims;
    if (claims.size() != others.size()) return false;
    for (size_t i = 0; i < claims.size(); ++i) {
      const auto& claim = claims[i].As<ResourceClaim>();
      const auto& peer = others[i].As<ResourceClaim>();
      if (claim.status.allocation || peer.status.allocation || !(claim.spec == peer.spec) ||
          users_.at(claim.metadata.uid) > 1 || users_.at(peer.metadata.uid) > 1) {
        return false;
      }
    }
    core_v1::PodSpec spec = members_[one].value().spec;
    spec.resource_claims = members_[other].value().spec.resource_claims;
    return spec == members_[other].value().spec;
  }

  /// Places the member and all after it. False: that is impossible.
  bool From(size_t member) {
    if (member == members_.size()) return count_ >= needed_ && Check();
    const size_t before = like_previous_[member] ? node_of_[member - 1] : 0;
    for (size_t node = before; node < board_.nodes.size(); ++node) {
      if (TryOn(member, node)) return true;
      if (questions_left_ == 0) return false;
    }
    if (count_ + (members_.size() - member - 1) < needed_) return false;
    return From(member + 1);
  }

  bool TryOn(size_t member, size_t node) {
    std::vector<Banned> bans{{}};
    std::set<Banned> seen;
    for (size_t i = 0; i < bans.size(); ++i) {
      if (questions_left_ == 0) return false;
      --questions_left_;
      std::optional<GangTrial> trial = Ask(member, node, bans[i]);
      if (!trial) continue;
      const Banned used = ContestedIn(*trial, member, node);
      if (!seen.insert(used).second) continue;
      if (GoOnWith(member, node, *std::move(trial))) return true;
      for (const allocator::DeviceId& device : used) {
        Banned more = bans[i];
        more.insert(device);
        if (std::ranges::find(bans, more) == bans.end()) bans.push_back(std::move(more));
      }
    }
    return false;
  }

  /// Tries the member on the node, together with those already there.
  std::optional<GangTrial> Ask(size_t member, size_t node, const Banned& banned) {
    std::vector<AllocationResult> together;
    const DeviceSearch search = [&](std::span<const Frozen<ResourceClaim>> wanted) {
      std::vector<Frozen<ResourceClaim>> claims;
      for (const Slot& slot : slots_[node]) claims.push_back(slot.wanted);
      claims.insert(claims.end(), wanted.begin(), wanted.end());
      return [&, claims](const core_v1::Node& where) -> Result<allocator::Outcome> {
        LetGo(node);
        Result<allocator::Outcome> outcome = board_.allocate(claims, where, banned);
        HoldAgain(node);
        DRAY_TRY(allocator::Outcome found, std::move(outcome));
        auto* allocation = std::get_if<allocator::Allocation>(&found);
        if (allocation == nullptr) return found;
        together = allocation->results;
        allocation->results.erase(
            allocation->results.begin(),
            allocation->results.begin() + static_cast<std::ptrdiff_t>(slots_[node].size()));
        return found;
      };
    };
    const GroupMember& asked = members_[member];
    Decision decision = board_.decide_on(
        asked.value(), placed_.AsSeen(asked.claims), placed_, *board_.nodes[node], search);
    auto* placement = std::get_if<Placement>(&decision);
    if (placement == nullptr) return std::nullopt;
    together.resize(std::min(together.size(), slots_[node].size()));
    return GangTrial{.placement = std::move(*placement), .of_node = std::move(together)};
  }

  /// The devices of the node's claims that other nodes can use too, or that belong to claims shared
  /// with other pods.
  Banned ContestedIn(const GangTrial& trial, size_t member, size_t node) const {
    Banned devices;
    const auto add = [&](const AllocationResult& allocation, bool is_shared_claim) {
      for (const auto& result : allocation.devices.results) {
        if (result.admin_access.value_or(false)) continue;
        if (!is_shared_claim && !board_.is_shared(result)) continue;
        devices.insert({result.driver, result.pool, result.device});
      }
    };
    for (size_t i = 0; i < trial.of_node.size(); ++i) {
      add(trial.of_node[i], IsShared(slots_[node][i]));
    }
    const auto& allocations = trial.placement.allocations;
    for (size_t i = 0; i < allocations.size(); ++i) {
      if (!allocations[i]) continue;
      add(*allocations[i], users_.at(members_[member].claims[i].metadata().uid) > 1);
    }
    if (trial.placement.extended) add(trial.placement.extended->allocation, false);
    return devices;
  }

  bool IsShared(const Slot& slot) const {
    return slot.claim && users_.at(slot.wanted->metadata.uid) > 1;
  }

  /// Places the member with this trial, and all members after it. Undoes everything on failure.
  bool GoOnWith(size_t member, size_t node, GangTrial trial) {
    if (!AreInReach(node, trial.of_node)) return false;
    std::vector<Slot>& slots = slots_[node];
    std::vector<AllocationResult> before;
    before.reserve(slots.size());
    for (const Slot& slot : slots) before.push_back(AllocationOf(slot));
    const bool is_changed = !trial.of_node.empty() && trial.of_node != before;
    if (is_changed) SetAll(node, trial.of_node);
    const size_t count = slots.size();
    Put(member, node, std::move(trial.placement));
    if (From(member + 1)) return true;
    placed_.Remove(members_[member], *placements_[member]);
    placements_[member].reset();
    node_of_[member] = kNowhere;
    --count_;
    slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(count), slots.end());
    if (is_changed) SetAll(node, before);
    return false;
  }

  void Put(size_t member, size_t node, Placement placement) {
    const GroupMember& put = members_[member];
    for (size_t i = 0; i < placement.allocations.size(); ++i) {
      if (!placement.allocations[i]) continue;
      slots_[node].push_back(
          {.member = member, .claim = i, .wanted = api::FrozenOf<ResourceClaim>(put.claims[i])});
    }
    if (placement.extended) {
      slots_[node].push_back(
          {.member = member,
           .claim = std::nullopt,
           .wanted = std::make_shared<const ResourceClaim>(placement.extended->claim)});
    }
    placement.next_first_node = node + 1;
    placed_.Place(put, placement);
    placements_[member] = std::move(placement);
    node_of_[member] = node;
    ++count_;
  }

  /// Whether pods on other nodes can still use the shared claims of the node with these
  /// allocations.
  bool AreInReach(size_t node, const std::vector<AllocationResult>& allocations) const {
    for (size_t i = 0; i < allocations.size(); ++i) {
      if (!IsShared(slots_[node][i]) || !allocations[i].node_selector) continue;
      const auto selector = api::NodeSelector::Parse(api::NodeTerms(*allocations[i].node_selector));
      if (!selector) return false;
      const std::string& uid = slots_[node][i].wanted->metadata.uid;
      for (size_t user = 0; user < members_.size(); ++user) {
        if (node_of_[user] == kNowhere || !Uses(user, uid)) continue;
        const core_v1::Node& where = NodeAt(node_of_[user]);
        if (!selector->Matches(where.metadata.labels, where.metadata.name)) return false;
      }
    }
    return true;
  }

  bool Uses(size_t member, std::string_view claim_uid) const {
    return std::ranges::any_of(members_[member].claims, [&](const api::Object& claim) {
      return claim.metadata().uid == claim_uid;
    });
  }

  AllocationResult& AllocationOf(const Slot& slot) {
    Placement& placement = *placements_[slot.member];
    return slot.claim ? *placement.allocations[*slot.claim] : placement.extended->allocation;
  }

  void SetAll(size_t node, const std::vector<AllocationResult>& allocations) {
    LetGo(node);
    for (size_t i = 0; i < allocations.size(); ++i) {
      const Slot& slot = slots_[node][i];
      AllocationOf(slot) = allocations[i];
      if (slot.claim) placed_.Choose(slot.wanted->metadata.uid, allocations[i]);
    }
    HoldAgain(node);
  }
  void LetGo(size_t node) {
    for (const Slot& slot : slots_[node]) {
      placed_.LetGo(HoldOf(members_[slot.member].value(), *slot.wanted));
    }
  }
  void HoldAgain(size_t node) {
    for (const Slot& slot : slots_[node]) {
      const std::string hold = HoldOf(members_[slot.member].value(), *slot.wanted);
      placed_.HoldAgain(hold, AllocationOf(slot));
    }
  }

  /// Decides again about each member with the final allocations, because earlier decisions counted
  /// node resources of devices with earlier choices.
  bool Check() {
    std::vector<std::optional<Placement>> found = placements_;
    std::map<std::string, AllocationResult> chosen = placed_.Chosen();
    placed_.TakeBack();
    bool is_good = true;
    for (size_t i = 0; i < members_.size() && is_good; ++i) {
      if (!found[i]) continue;
      const DeviceSearch search = [&](std::span<const Frozen<ResourceClaim>> wanted) {
        allocator::Allocation fixed;
        for (const auto& claim : wanted) {
          fixed.results.push_back(claim->metadata.uid.empty() ? found[i]->extended->allocation
                                                              : chosen.at(claim->metadata.uid));
        }
        return [fixed](const core_v1::Node&) { return Result<allocator::Outcome>(fixed); };
      };
      Decision decision = board_.decide_on(members_[i].value(),
                                           placed_.AsSeen(members_[i].claims),
                                           placed_,
                                           *board_.nodes[node_of_[i]],
                                           search);
      auto* placement = std::get_if<Placement>(&decision);
      is_good = placement != nullptr;
      if (!is_good) break;
      placement->next_first_node = node_of_[i] + 1;
      placed_.Place(members_[i], *placement);
      found[i] = std::move(*placement);
    }
    if (is_good) {
      placements_ = std::move(found);
      return true;
    }
    placed_.TakeBack();
    for (size_t i = 0; i < members_.size(); ++i) {
      if (placements_[i]) placed_.Place(members_[i], *placements_[i]);
    }
    return false;
  }

  std::span<const GroupMember> members_;
  size_t needed_;
  const GangBoard& board_;
  PlacedSoFar& placed_;
  size_t questions_left_;
  std::map<std::string, size_t, std::less<>> users_;  // members, by uid of the claim
  std::vector<bool> like_previous_;

  std::vector<std::vector<Slot>> slots_;  // by node
  std::vector<size_t> node_of_;           // by member
  std::vector<std::optional<Placement>> placements_;
  size_t count_ = 0;  // members that are placed
};

}  // namespace

allocator::Snapshot WithoutBanned(const allocator::Snapshot& devices,
                                  const Banned& banned,
                                  const SlicesOf& slices_of) {
  std::map<std::string, resource_v1::ResourceSlice> slices;
  for (const allocator::DeviceId& id : banned) {
    for (const std::string& name : slices_of(fmt::format("{}/{}", id.driver, id.pool))) {
      const allocator::Snapshot::Slice known = devices.FindSlice(name);
      if (known == nullptr) continue;
      auto& slice = slices.try_emplace(name, *known).first->second;
      const auto device =
          std::ranges::find(slice.spec.devices, id.device, &resource_v1::Device::name);
      if (device == slice.spec.devices.end()) continue;
      device->taints.push_back({.key = {}, .effect = "NoSchedule"});
    }
  }
  if (slices.empty()) return devices;
  std::vector<allocator::ClusterChange> changes;
  changes.reserve(slices.size());
  for (auto& [name, slice] : slices) {
    changes.emplace_back(std::make_shared<const resource_v1::ResourceSlice>(std::move(slice)));
  }
  return devices.With(changes);
}

std::optional<std::vector<std::optional<Placement>>> SearchGang(
    std::span<const GroupMember> members,
    size_t needed,
    const GangBoard& board,
    PlacedSoFar& placed) {
  if (members.size() > kGangMembersMax) return std::nullopt;
  Search search(members, needed, board, placed);
  if (!search.Run()) return std::nullopt;
  return std::move(search).Take();
}

GroupOutcome PlaceGang(std::span<const GroupMember> members,
                       const GroupProgress& progress,
                       const DecideNext& decide,
                       const GangBoard& board,
                       PlacedSoFar& placed) {
  GroupOutcome outcome = PlaceGroup(members, progress, decide, placed);
  const int64_t needed = progress.min_count - progress.scheduled;
  const bool is_final = outcome.kind != GroupOutcome::Kind::kUnschedulable || needed < 2 ||
                        progress.IsHopeless() || members.size() > kGangMembersMax ||
                        board.questions_max == 0;
  if (is_final) return outcome;
  placed.TakeBack();
  const auto fits_alone = [&](const GroupMember& member) {
    return std::holds_alternative<Placement>(decide(member.value(), member.claims, placed));
  };
  if (std::ranges::count_if(members, fits_alone) < needed) return outcome;
  auto found = SearchGang(members, static_cast<size_t>(needed), board, placed);
  if (!found) return outcome;
  outcome = {.kind = GroupOutcome::Kind::kScheduled};
  for (size_t i = 0; i < members.size(); ++i) {
    const GroupMember& member = members[i];
    Decision decision = (*found)[i] ? Decision(*std::move((*found)[i]))
                                    : decide(member.value(), placed.AsSeen(member.claims), placed);
    const auto* placement = std::get_if<Placement>(&decision);
    if (placement != nullptr && !(*found)[i]) placed.Place(member, *placement);
    outcome.decisions.emplace_back(std::move(decision));
  }
  return outcome;
}

}  // namespace dray::scheduler::inline groups
