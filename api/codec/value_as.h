// SPDX-License-Identifier: Apache-2.0
// Access of the codecs to a value by the description of its type (api/reflect.h).
#pragma once

namespace dray::api::inline codec {

/// The caller has checked that `value` points to a T.
template <class T>
T& ValueAs(void* value) {
  return *static_cast<T*>(value);
}

template <class T>
const T& ValueAs(const void* value) {
  return *static_cast<const T*>(value);
}

}  // namespace dray::api::inline codec
