// SPDX-License-Identifier: Apache-2.0
// Structs as upstream's hand-written rules print them: its internal types, with Go's member names
// and all members. Since 1.33 as JSON, before as Go source.
#pragma once

#include <string>

#include "api/reflect.h"
#include "api/release.h"

namespace dray::api::validation {

/// Since 1.33 `{"Spec":{"Devices":{"Requests":null,…}}}`; ObjectMeta lies flat in its parent, with
/// its own JSON names and without empty members. Up to 1.32
/// `resource.DeviceClaim{Requests:[]resource.DeviceRequest(nil), …}` in the shape that release's
/// internal types had; a pointer below the first level is shown as an address, always the same one.
/// O(size).
std::string ShownAsGo(const Type& type, const void* value, Release release);
template <class T>
std::string ShownAsGo(const T& value, Release release) {
  return ShownAsGo(TypeOf<T>(), &value, release);
}

/// Prints a struct of its version as Go's %#v does.
std::string GoSource(const Type& type, const void* value, Release release);

}  // namespace dray::api::validation
