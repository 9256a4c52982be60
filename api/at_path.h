// SPDX-License-Identifier: Apache-2.0
// Finds a value inside an object by its path, for code that handles many kinds alike: cells of
// tables, the subresource scale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/reflect.h"

namespace dray::api {

/// A value and its type, which is never an optional. Null: the value does not exist.
struct Found {
  const Type* type = nullptr;
  const void* value = nullptr;
};

/// Finds the value at "spec.pool.name" below a value, through optionals on the way. O(length of the
/// path).
Found AtPath(Found from, std::string_view path);
Found AtPath(const Object& object, std::string_view path);

/// The same, if it is a `T`.
template <class T>
const T* Get(const Object& object, std::string_view path) {
  const Found found = AtPath(object, path);
  return found.value != nullptr && found.type == &TypeOf<T>() ? static_cast<const T*>(found.value)
                                                              : nullptr;
}

/// The map from strings to `T` at `path`, if there is one.
template <class T>
const Map<T>* MapAt(const Object& object, std::string_view path) {
  const Found found = AtPath(object, path);
  const bool is_map = found.value != nullptr && found.type->kind == TypeKind::kMap;
  return is_map && &found.type->element() == &TypeOf<T>() ? static_cast<const Map<T>*>(found.value)
                                                          : nullptr;
}

/// The text at `path`; empty when there is none.
std::string_view TextAt(const Object& object, std::string_view path);
/// The integer at `path`; 0 when there is none.
int64_t NumberAt(const Object& object, std::string_view path);
/// Number of elements of the list or map at `path`.
size_t CountAt(const Object& object, std::string_view path);
/// The elements of the list at `path`.
std::vector<Found> ElementsAt(const Object& object, std::string_view path);

}  // namespace dray::api
