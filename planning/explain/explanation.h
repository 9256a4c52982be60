// SPDX-License-Identifier: Apache-2.0
// Why claims do not fit, as a value: how many devices get how far for each request, what each node
// lacks, who is in the way, what cannot hold together, and which small changes would help.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "base/published.h"
#include "dray/budget.h"
#include "dray/snapshot.h"
#include "planning/explain/conflict.h"
#include "planning/explain/device_steps.h"
#include "planning/explain/funnel.h"
#include "planning/explain/holders.h"
#include "planning/explain/suggestions.h"
#include "planning/explain/variation.h"

namespace dray::planning::inline explain {

/// A node, and why it is out of the question whatever its devices; empty: it is not.
struct CandidateNode {
  const api::core_v1::Node* node = nullptr;
  std::string objection = {};
};

/// What a node's trouble is, the most promising first.
enum class Trouble : uint8_t {
  kNone,         // the claims fit
  kUndecided,    // the search was given up
  kTogether,     // each request could be met alone
  kConstraints,  // enough devices, but the constraints of the claim rule out every set of them
  kAtOnce,       // enough devices one by one, but not as many at once: they share counters
  kTooFew,       // too few devices for a request by itself
  kObjection,    // CandidateNode::objection
};

/// "none", "undecided", …: for programs.
std::string_view TroubleName(Trouble trouble);

/// Nodes that say no for the same reason.
struct NodeGroup {
  Trouble trouble = Trouble::kNone;
  std::string claim = {};               // of the first request that cannot be met
  std::string request = {};             // or request/alternative
  Step step = Step::kUsable;            // of kTooFew: where devices become too few
  std::string objection = {};           // of kObjection
  std::string detail = {};              // what the objection leaves out; may be empty
  std::vector<std::string> nodes = {};  // those with the most usable devices first
  int64_t wanted = 0;                   // of the request on the first node
  int64_t usable = 0;                   // there
  size_t left = 0;                      // of kTooFew: devices there that got past the step
};

/// What the pods that name a claim say of it.
enum class HolderState : uint8_t {
  kUnknown,      // the input has no pods
  kInUse,        // a pod uses it, or waits with it
  kUnused,       // no pod names it, and it is kept for none
  kFinished,     // its pods have ended
  kTerminating,  // those that have not ended are being deleted
  kPreemptible,  // those have a lower priority than the pod that asks
};
/// "unknown", "inUse", …: for programs.
std::string_view HolderStateName(HolderState state);

/// A claim whose devices are in the way on the most promising node.
struct InTheWay {
  Holder holder;
  std::vector<std::string> devices;
  HolderState state = HolderState::kUnknown;
};

struct Explanation {
  /// Why the allocator refuses the claims on any node, in its words; then nothing but the funnels
  /// may follow. Empty: it does not.
  std::string refusal = {};
  std::vector<Funnel> funnels = {};  // by request and alternative, in order
  size_t nodes = 0;                  // that were looked at
  std::vector<NodeGroup> groups = {};
  std::string closest = {};  // the most promising node; empty: there is none
  std::vector<InTheWay> in_the_way = {};
  std::optional<Conflict> conflict = {};
  /// Whether the claims would fit on some node that is not ruled out if nothing were in use.
  bool fits_when_empty = false;
  std::vector<Suggestion> suggestions = {};

  /// Whether some node has devices for the claims.
  bool fits() const { return !groups.empty() && groups.front().trouble == Trouble::kNone; }
};

/// kLine: as much as OneLine tells: no conflict, and suggestions of one kind.
enum class Detail : uint8_t { kFull, kLine };

struct ExplanationQuestion {
  /// With what is taken by `holders`, and nothing else.
  const allocator::Snapshot& snapshot;
  const Holders& holders;
  /// Those that still need devices.
  const WantedClaims& claims;
  std::span<const CandidateNode> nodes;
  /// Uids of claims that are never to be given back.
  std::set<std::string> own_claims = {};
  allocator::Budget budget = {};  // of one search
  Detail detail = Detail::kFull;
};

/// O(nodes × searches + devices × requests), plus a bounded number of further searches.
Explanation Explain(const ExplanationQuestion& question);

/// "request gpu wants 2; at most 1 is free": what the group has in common.
std::string ToString(const NodeGroup& group);
/// The same, and in parentheses what keeps the devices out ("pool a is incomplete: …") or what the
/// objection leaves out. `group` is one of the explanation's. Names no claim and no namespace.
std::string ToString(const NodeGroup& group, const Explanation& explanation);

/// What may help and was not tried, a sentence each: where a driver or a feature gate is at fault,
/// and whether moving running pods may make room.
std::vector<std::string> HintsFor(const Explanation& explanation);

/// The same in one line of at most kEventBytesMax bytes, for events and conditions.
std::string OneLine(const Explanation& explanation);
inline constexpr size_t kEventBytesMax = 512;

}  // namespace dray::planning::inline explain
