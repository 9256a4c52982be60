// SPDX-License-Identifier: Apache-2.0
// Small changes after which claims that fit nowhere would fit. Each is tested with the allocator
// before it is suggested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "dray/budget.h"
#include "dray/snapshot.h"
#include "planning/explain/funnel.h"
#include "planning/explain/holders.h"
#include "planning/explain/variation.h"

namespace dray::planning::inline explain {

/// The smallest change first.
enum class ChangeKind : uint8_t {
  kTolerate,        // a taint
  kDropConstraint,  // of a claim
  kDropCondition,   // one conjunct of a selector
  kFewerDevices,
  kLessCapacity,  // of a device
  kOtherClass,
  kSplitPod,     // into two
  kFreeClaims,   // of others
  kMoreDevices,  // on a node
};

/// "tolerate", "dropConstraint", …: for programs.
std::string_view ChangeName(ChangeKind kind);

/// A change, and where the claims then fit.
struct Suggestion {
  ChangeKind kind = ChangeKind::kTolerate;
  size_t amount = 1;      // its size: claims freed, devices more or fewer, requests moved
  std::string text = {};  // an imperative
  std::string node = {};
  // The changed question:
  WantedClaims claims = {};
  WantedClaims second_claims = {};  // of the second pod, which fits beside the first
  std::string second_node = {};     // there
  std::vector<size_t> freed = {};   // indexes of holders
  Frozen<api::resource_v1::ResourceSlice> added = nullptr;
};

/// A question that fits nowhere, and what is known about it.
struct SuggestionQuestion {
  const allocator::Snapshot& snapshot;
  const WantedClaims& claims;
  std::span<const api::core_v1::Node* const> nodes;  // most promising first
  size_t way = 0;                                    // the request that fails there
  std::span<const Funnel> funnels;
  const std::set<std::string>& own_claims;  // uids; must keep their devices
  const allocator::Budget& budget;          // of one search
  bool one_kind = false;                    // stop after the first kind with any suggestion
};

/// Changes that help, the smallest first. Bounded: some of each kind, tested on the most promising
/// nodes only. The funnels must be `counter`'s.
std::vector<Suggestion> Suggest(const SuggestionQuestion& question,
                                FunnelCounter& counter,
                                const Holders& holders,
                                FreedClaims& freed);

/// Indexes of the claims that have devices which the node reaches.
std::vector<size_t> HoldersOn(std::span<const FallenDevice> devices,
                              const Holders& holders,
                              const std::set<std::string>& own_claims);

}  // namespace dray::planning::inline explain
