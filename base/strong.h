// SPDX-License-Identifier: Apache-2.0
// Values that cannot be passed where another one is meant.
#pragma once

#include <compare>
#include <cstdint>
#include <utility>

namespace dray {

/// A Rep that only mixes with its own kind. `Tag` is any type, usually an incomplete struct.
template <class Tag, class Rep>
class Strong {
 public:
  constexpr explicit Strong(Rep value = {}) : value_(std::move(value)) {}
  constexpr const Rep& value() const { return value_; }
  constexpr auto operator<=>(const Strong&) const = default;

 private:
  Rep value_;
};

using Revision = Strong<struct RevisionTag, int64_t>;              // of the store
using PoolGeneration = Strong<struct PoolGenerationTag, int64_t>;  // of a pool of devices

}  // namespace dray
