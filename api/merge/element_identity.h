// SPDX-License-Identifier: Apache-2.0
// The identity of list elements: which element of one list corresponds to which of another, when
// they are merged or compared.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "api/reflect.h"

namespace dray::api::inline merge {

/// `facets` of a list with its list type. If it declares none, the type follows from the list's
/// facets for strategic merge patches.
Facets ListRules(const Facets& facets);

/// The members that identify elements of a list: its map keys if it declares them, else those that
/// validation requires to be unique (name; request, driver, pool, device and share; …). Empty if
/// only the whole element identifies it.
std::vector<const Field*> IdentityOf(const Type& element, const Facets& list);

/// The values of those members as JSON, separated by commas; the whole element if there are no
/// members.
std::string IdentityText(const Type& element,
                         const std::vector<const Field*>& identity,
                         const void* value);

/// An identity, and the number of earlier elements in the list with the same identity.
using ElementKey = std::pair<std::string, size_t>;

/// The keys of all elements of `list`, in order; no two are equal.
std::vector<ElementKey> KeysOf(const Type& list_type, const Facets& list, const void* value);

}  // namespace dray::api::inline merge
