// SPDX-License-Identifier: Apache-2.0
// Minimal conflicts: a smallest set of requests, constraints and claims of others that keeps a
// question from fitting on a node. Without any one of them, the rest fits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "dray/budget.h"
#include "planning/explain/holders.h"
#include "planning/explain/variation.h"

namespace dray::planning::inline explain {

enum class PartKind : uint8_t { kRequest, kConstraint, kHolder };

struct ConflictPart {
  PartKind kind = PartKind::kRequest;
  size_t claim_index = 0;  // among the question's claims; of a holder its index
  size_t index = 0;        // of the request or constraint in the claim
  std::string claim = {};  // namespace/name
  std::string name = {};   // of the request; of a constraint "matchAttribute NAME"
};

struct Conflict {
  std::string node;
  std::vector<ConflictPart> parts;  // requests, constraints, holders
};

/// The parts that a conflict can consist of.
struct ConflictQuestion {
  const WantedClaims& claims;
  const api::core_v1::Node& node;
  std::span<const size_t> holders;  // indexes of those with devices of the node
  const allocator::Budget& budget;  // of one search
};

/// Copies of the claims with these requests and constraints only, in their order, without claims
/// that have no request left.
WantedClaims OnlyParts(const WantedClaims& claims, std::span<const ConflictPart> parts);

/// A minimal conflict of claims that do not fit on the node, found by leaving out parts: claims of
/// others first, then constraints, then requests. Absent if the claims fit, or if a search is given
/// up. At most (parts)² searches, usually little more than parts.
std::optional<Conflict> FindConflict(const ConflictQuestion& question,
                                     const allocator::Snapshot& snapshot,
                                     const Holders& holders,
                                     FreedClaims& freed);

}  // namespace dray::planning::inline explain
