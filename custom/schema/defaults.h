// SPDX-License-Identifier: Apache-2.0
// Defaults: members that an object does not have get the values that its schema says.
#pragma once

#include <cstddef>

#include "api/value/tree.h"
#include "base/result.h"
#include "custom/schema/schema.h"

namespace dray::custom::schema {

/// Bytes of JSON that defaults may add to one object. A default of many bytes in the elements of a
/// long list would make their product.
inline constexpr size_t kDefaultedBytesMax = size_t{16} << 20U;

/// Fills in what is absent, from the top down: a default is filled in itself. Nothing is filled in
/// below what is absent and has no default. Members, entries and elements that are null are
/// replaced unless they are nullable; what has no default stays null there (Prune() drops it from
/// objects).
///
/// One walk, O(size of the result) times the logarithm of the members of an object. Recursion is
/// bounded by the depth of the schema. What the tree shares with others is copied along the way;
/// defaults are shared with the schema.
///
/// Errors: kRequestEntityTooLarge  defaults would add more than kDefaultedBytesMax; some may have
///                                 been filled in.
Result<> ApplyDefaults(api::Tree& object, const Schema& schema);

}  // namespace dray::custom::schema
