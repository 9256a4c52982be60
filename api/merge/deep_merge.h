// SPDX-License-Identifier: Apache-2.0
// Deep merge of one object into another, as clients do before they write (the trait DeepMerge of
// the Rust crate k8s-openapi).
#pragma once

#include "api/object.h"
#include "api/reflect.h"

namespace dray::api::inline merge {

/// Merges `other` into `into`. Values missing in `other` stay; given scalars replace; structs merge
/// member by member; maps merge entry by entry (atomic ones are replaced); lists are replaced when
/// given, even as [], sets are united, and lists with keys merge element by element, new elements
/// at the end; raw JSON merges as a JSON merge patch (RFC 7396), so null removes.
///
/// Required scalars always count as given. Optional ones that are no pointers count as given unless
/// zero. O(size), and the product of the lengths for sets.
void DeepMerge(const Type& type, void* into, const void* other);

/// The same for objects, which are of one kind. The caller must be the only owner of `into`.
void DeepMerge(Object& into, const Object& other);

}  // namespace dray::api::inline merge
