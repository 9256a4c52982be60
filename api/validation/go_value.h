// SPDX-License-Identifier: Apache-2.0
// Structs as upstream's hand-written rules print them: JSON of its internal types, which have Go's
// member names and leave nothing out.
#pragma once

#include <string>

#include "api/reflect.h"

namespace dray::api::validation {

/// `{"Spec":{"Devices":{"Requests":null,…}}}`: members named as in Go, empty ones too; ObjectMeta
/// lies flat in its parent, with its own JSON names and without empty members.
std::string ShownAsGo(const Type& type, const void* value);
template <class T>
std::string ShownAsGo(const T& value) {
  return ShownAsGo(TypeOf<T>(), &value);
}

}  // namespace dray::api::validation
