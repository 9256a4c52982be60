// SPDX-License-Identifier: Apache-2.0
// What parts of a search take, in units of Work: about nanoseconds. Where the searches and the
// snapshots do the same for an amount, a value or a constraint, it is here; the rest stands beside
// the code that does it.
#pragma once

#include <cstdint>

namespace dray::allocator::rules {

/// Comparing or adding an amount of a capacity.
inline constexpr uint64_t kWorkPerAmount = 300;
/// Numbering or counting a value of an attribute.
inline constexpr uint64_t kWorkPerValue = 64;
/// Telling a constraint of a further device.
inline constexpr uint64_t kWorkPerConstraint = 64;
/// Compiling an expression, for each byte.
inline constexpr uint64_t kWorkPerByteCompiled = 200;
/// Making a device ready for expressions.
inline constexpr uint64_t kWorkPerView = 2'000;

}  // namespace dray::allocator::rules
