// SPDX-License-Identifier: Apache-2.0
// Which part of a variable an expression denotes, as a path, and how large that part can be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cel/cost/range.h"

namespace dray::cel::cost {

/// Steps of a path that are no fields. Expressions cannot name them.
inline constexpr std::string_view kItemsStep = "@items";      // of a list
inline constexpr std::string_view kIndexesStep = "@indices";  // of a list
inline constexpr std::string_view kKeysStep = "@keys";        // of a map
inline constexpr std::string_view kValuesStep = "@values";    // of a map

/// The sizes that are declared for variables and what is inside them.
class SizeSource {
 public:
  /// The size of what `path` leads to: the name of a variable, then steps and fields; not empty.
  /// Nothing if no size is declared. A path that starts inside a value without a path has no name
  /// in front: its first part is the first step.
  virtual std::optional<SizeRange> SizeOf(std::span<const std::string_view> path) const = 0;

 protected:
  ~SizeSource() = default;
};

/// A path from a variable to a part of it; none if it is empty. Valid with its Paths only.
struct Path {
  uint32_t array = 0;
  uint32_t length = 0;

  bool is_none() const { return length == 0; }
};

/// All paths of one estimate.
///
/// Upstream extends paths with Go's append, which writes into memory that extensions of the same
/// path share when there is room. The later of two extensions of one path may decide what both
/// denote: there is room where the path has three parts, five to seven, nine to fifteen … So a name
/// of an attribute may be taken to be as long as an attribute value. The numbers of admission
/// depend on it.
class Paths {
 public:
  /// The path of a variable.
  Path Root(std::string_view name);
  /// Costs O(length) where there is no room, else O(1).
  Path Extend(const Path& path, std::string_view step);
  /// Good until the next call of another function.
  std::span<const std::string_view> PartsOf(const Path& path) const {
    if (path.is_none()) return {};
    return std::span(arrays_[path.array]).first(path.length);
  }
  /// The size of what `path`, with another step if that is not empty, leads to.
  std::optional<SizeRange> SizeOf(const SizeSource& sizes,
                                  const Path& path,
                                  std::string_view step = {}) const;

 private:
  // Each as long as the memory that Go takes; parts that were not written are empty.
  std::vector<std::vector<std::string_view>> arrays_;
};

}  // namespace dray::cel::cost
