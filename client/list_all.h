// SPDX-License-Identifier: Apache-2.0
// All objects of one kind as values of its type.
#pragma once

#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/try.h"
#include "client/client.h"

namespace dray::client {

/// Objects of all namespaces, in the order of the list. Errors: those of List. O(objects).
template <class T>
Result<std::vector<Frozen<T>>> ListAll(Client& client) {
  DRAY_TRY(const ObjectList list, client.List(api::Reflected<T>::kKind, {}));
  std::vector<Frozen<T>> all;
  all.reserve(list.items.size());
  for (const api::Object& object : list.items) all.push_back(api::FrozenOf<T>(object));
  return all;
}

}  // namespace dray::client
