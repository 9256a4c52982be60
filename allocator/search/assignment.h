// SPDX-License-Identifier: Apache-2.0
// What the path of a search has given away on one node, undone in reverse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "allocator/search/bits.h"
#include "allocator/search/conflict_set.h"
#include "allocator/search/node_problem.h"
#include "dray/allocated_state.h"

namespace dray::allocator::search {

/// A device given to a variant, as the decision of that level.
struct Pick {
  size_t variant = 0;
  size_t bit = 0;
  size_t level = 0;
};

/// The devices given so far and what follows from them: counters drawn, values that constraints
/// have chosen, shares. For releases where nothing of a device that was refused or taken back
/// remains.
class Assignment {
 public:
  explicit Assignment(const NodeProblem& problem);

  /// What stood in the way of a device.
  enum class Refusal : uint8_t { kCounters, kConstraint, kCapacity };

  /// Gives the device, which is usable and not held, to the variant. False, with nothing changed,
  /// if that cannot be; `why` then gains the levels that stand in the way.
  bool Give(const Pick& pick, ConflictSet& why);
  /// Why the last Give said no.
  Refusal refusal() const { return refusal_; }
  void TakeBackLast();

  std::span<const Pick> picks() const { return picks_; }
  /// The devices given so far as a whole, to any request.
  WordSpan held() const { return held_; }
  /// Whether the variant cannot have the device because of what is given: for admin
  /// access only devices of its own claim count.
  bool IsHeld(size_t variant, size_t bit) const;
  /// What Usable(variant) loses to that, in word `w`.
  uint64_t HeldWord(size_t variant, size_t w) const {
    return admin(variant) ? by_claim_[ClaimOf(variant) * words_ + w] : held_[w];
  }
  size_t ResultsOf(size_t claim) const { return results_[claim]; }

  /// Devices of a constraint so far, and the values of a match they have in common, sorted.
  struct Member {
    size_t level = 0;
    const std::vector<uint32_t>* values = nullptr;  // of the device
    std::vector<uint32_t> common = {};              // of kSets matches: of all up to this one
  };
  std::span<const Member> Members(size_t constraint) const { return members_[constraint]; }
  /// Empty: no device yet, everything goes.
  std::span<const uint32_t> CommonValues(size_t constraint) const;

  /// By counter of a pool of the view.
  const std::vector<int64_t>& Drawn(size_t pool) const { return pools_[pool].drawn; }
  /// Shares given of devices: (bit, variant) of each.
  struct Share {
    size_t bit = 0;
    size_t variant = 0;
    size_t level = 0;
  };
  std::span<const Share> shares() const { return shares_; }
  bool HasShare(size_t bit) const;
  /// What the devices on a counter set have in common.
  struct GroupState {
    size_t members = 0;
    bool named = false;   // they name groups
    uint64_t groups = 0;  // that all of them name

    bool Join(uint64_t groups_of_device);
    void Commit(uint64_t groups_of_device);
    bool operator==(const GroupState&) const = default;
  };
  std::span<const GroupState> Groups(size_t pool) const { return pools_[pool].groups; }
  /// How many devices were given that draw from the pool.
  size_t Drawers(size_t pool) const { return pools_[pool].levels.size(); }
  size_t pools() const { return pools_.size(); }

 private:
  struct PoolUsage {
    bool open = false;
    std::vector<int64_t> drawn;      // by counter
    std::vector<GroupState> groups;  // by set
    std::vector<size_t> levels;      // that drew from it
  };
  struct Entry {
    size_t constraints = 0;  // of the variant's, how many have it as a member
    bool holds = false;
    bool paid = false;
    bool share = false;
    std::vector<GroupState> groups_before = {};  // of the pool, when groups matter
  };

  size_t ClaimOf(size_t variant) const { return problem_.prepared().variants()[variant].claim; }
  bool admin(size_t variant) const { return problem_.prepared().variants()[variant].admin(); }
  bool Enter(const Pick& pick, Entry& entry, ConflictSet& why);
  bool EnterCounters(const Pick& pick, Entry& entry, ConflictSet& why);
  bool EnterConstraints(const Pick& pick, Entry& entry, ConflictSet& why);
  bool EnterConstraint(size_t constraint, Member member, ConflictSet& why);
  bool EnterShare(const Pick& pick, Entry& entry, ConflictSet& why);
  bool JoinGroups(PoolUsage& usage, size_t bit) const;
  PoolUsage& Open(size_t pool);
  void OpenGroups(size_t pool, PoolUsage& usage) const;
  void Undo(const Pick& pick, const Entry& entry);

  const NodeProblem& problem_;
  const size_t words_;
  std::vector<Pick> picks_;
  std::vector<Entry> entries_;  // of the picks
  Words held_;
  Words by_claim_;                            // claim × words; only with admin access
  std::vector<size_t> results_;               // by claim
  std::vector<std::vector<Member>> members_;  // by constraint
  std::vector<PoolUsage> pools_;
  std::vector<Share> shares_;
  Refusal refusal_ = Refusal::kCounters;
};

}  // namespace dray::allocator::search
