// SPDX-License-Identifier: Apache-2.0
// Classes of interchangeable devices of a node (symmetry breaking: S-1 in
// docs/design/allocator.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocator/search/bits.h"
#include "allocator/search/node_problem.h"

namespace dray::allocator::search {

/// Two devices are in one class if they differ only in their places: the same variants may
/// use them and list them, constraints read the same values, they draw the same from the same
/// counters; and neither can be shared. A solution with the one in place of the other is a
/// solution: all rules see equal inputs, and they are functions of the set of devices given, not of
/// its order.
struct SymmetryClasses {
  static constexpr uint32_t kNone = UINT32_MAX;  // no variant may use the device

  std::vector<uint32_t> class_of;          // by bit
  std::vector<Words> members;              // by class
  std::vector<size_t> example;             // by class: its first member
  std::vector<std::vector<bool>> used_by;  // by class, then variant

  size_t size() const { return members.size(); }
};

/// O(devices × (variants + constraints)).
SymmetryClasses SymmetryClassesOf(const NodeProblem& problem);

}  // namespace dray::allocator::search
