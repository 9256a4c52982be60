// SPDX-License-Identifier: Apache-2.0
// Numbers with a meaning of their own: a Revision cannot be passed where a PoolGeneration belongs.
#pragma once

#include <compare>
#include <cstdint>
#include <utility>

namespace dray {

/// A Rep that compares and assigns only with its own kind, and does not convert. `Tag` names the
/// kind: any type, usually a struct without a body.
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
