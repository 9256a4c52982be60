// SPDX-License-Identifier: Apache-2.0
// What x-kubernetes-list-type promises: elements of sets differ, and so do the keys of elements of
// lists of type map.
#pragma once

#include <vector>

#include "api/value/tree.h"
#include "base/result.h"
#include "custom/schema/schema.h"

namespace dray::custom::schema {

/// The second element of each set that is equal to one before it, and the second of each list of
/// type map that has the keys of one before it, as duplicates; keys are compared as they are, so
/// defaults belong in before. Elements of a list of type map must be objects or null. As Go
/// compares, 1 and 1.0 differ.
///
/// On an update `old` is what was there before: where that breaks such a rule anywhere, nothing is
/// reported. Null on create.
///
/// Members by name, elements in order; at most api::validation::kCausesMax and one. O(n log n) in
/// the elements of a list, linear in all else; passes over what has no such lists. Recursion is
/// bounded by the depth of the schema.
std::vector<ErrorCause> CheckLists(const api::Tree& object,
                                   const api::Tree* old,
                                   const Schema& schema);

}  // namespace dray::custom::schema
