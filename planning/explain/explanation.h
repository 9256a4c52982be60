// SPDX-License-Identifier: Apache-2.0
// Why claims do not fit, as a value: how many devices pass which steps for each request, what each
// node lacks, which claims are in the way, which parts conflict, and which small changes would
// help.
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
#include "base/frozen.h"
#include "dray/budget.h"
#include "dray/snapshot.h"
#include "planning/explain/conflict.h"
#include "planning/explain/device_steps.h"
#include "planning/explain/funnel.h"
#include "planning/explain/holders.h"
#include "planning/explain/suggestions.h"
#include "planning/explain/variation.h"

namespace dray::planning::inline explain {

/// A node, and why it is rejected whatever its devices; empty: it is not.
struct CandidateNode {
  const api::core_v1::Node* node = nullptr;
  std::string objection = {};
};

/// The problem of a node, the most promising first.
enum class Trouble : uint8_t {
  kNone,         // the claims fit
  kUndecided,    // the search was given up
  kTogether,     // each request could be met alone
  kConstraints,  // enough devices, but the constraints of the claim rule out every set of them
  kAtOnce,       // enough devices singly, but shared counters exclude so many at once
  kTooFew,       // too few devices for a request alone
  kObjection,    // CandidateNode::objection
};

/// "none", "undecided", …: for programs.
std::string_view TroubleName(Trouble trouble);

/// Nodes that are rejected for the same reason.
struct NodeGroup {
  Trouble trouble = Trouble::kNone;
  std::string claim = {};               // of the first request that cannot be met
  std::string request = {};             // or request/alternative
  Step step = Step::kUsable;            // if kTooFew: where devices become too few
  std::string objection = {};           // if kObjection
  std::string detail = {};              // details that the objection lacks; may be empty
  std::vector<std::string> nodes = {};  // the node with the most usable devices first
  int64_t wanted = 0;                   // of the request on the first node
  int64_t usable = 0;                   // there
  size_t left = 0;                      // if kTooFew: devices there that passed the step
};

/// The state of a claim, derived from the pods that name it.
enum class HolderState : uint8_t {
  kUnknown,      // the input has no pods
  kInUse,        // a pod uses it, or waits with it
  kUnused,       // no pod names it, and it is reserved for none
  kFinished,     // its pods have ended
  kTerminating,  // its pods that have not ended are being deleted
  kPreemptible,  // its running pods have a lower priority
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
  /// Why the allocator rejects the claims on any node, in its words; only the funnels may then be
  /// filled. Empty: it does not.
  std::string refusal = {};
  std::vector<Funnel> funnels = {};  // by request and alternative, in order
  size_t nodes = 0;                  // number of candidate nodes
  std::vector<NodeGroup> groups = {};
  std::string closest = {};  // the most promising node; empty: there is none
  std::vector<InTheWay> in_the_way = {};
  std::optional<Conflict> conflict = {};
  /// Whether the claims would fit on a node without an objection if no device were in use.
  bool fits_when_empty = false;
  std::vector<Suggestion> suggestions = {};

  /// Whether some node has devices for the claims.
  bool fits() const { return !groups.empty() && groups.front().trouble == Trouble::kNone; }
};

/// kLine: only what OneLine needs: no conflict, and suggestions of one kind.
enum class Detail : uint8_t { kFull, kLine };

struct ExplanationQuestion {
  /// With the allocations of `holders`, and no others.
  const allocator::Snapshot& snapshot;
  const Holders& holders;
  /// The claims that still need devices.
  const WantedClaims& claims;
  std::span<const CandidateNode> nodes;
  /// Uids of claims that must keep their devices.
  std::set<std::string> own_claims = {};
  allocator::Budget budget = {};  // of one search
  Detail detail = Detail::kFull;
};

/// O(nodes × searches + devices × requests), plus a bounded number of further searches.
Explanation Explain(const ExplanationQuestion& question);

/// The common problem of the group: "request gpu wants 2; at most 1 is free".
std::string ToString(const NodeGroup& group);
/// The same, with a reason in parentheses why devices are rejected ("pool a is incomplete: …"), or
/// details that the objection lacks. `group` is one of the explanation's. Names no claim and no
/// namespace.
std::string ToString(const NodeGroup& group, const Explanation& explanation);

/// Untested remedies, one sentence each: where a driver or a feature gate is at fault, and whether
/// moving running pods may make room.
std::vector<std::string> HintsFor(const Explanation& explanation);

/// The explanation in one line of at most kEventBytesMax bytes, for events and conditions.
std::string OneLine(const Explanation& explanation);
inline constexpr size_t kEventBytesMax = 512;

}  // namespace dray::planning::inline explain
