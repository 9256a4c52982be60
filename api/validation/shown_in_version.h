// SPDX-License-Identifier: Apache-2.0
// Structs in errors of declarative validation: in the form of the request's version, not of the
// hub.
#pragma once

#include <string>

#include "api/validation/field_error.h"

namespace dray::api::resource_v1 {
struct DeviceRequest;
}  // namespace dray::api::resource_v1

namespace dray::api::validation {

/// `item`, a struct of the hub, as ShownStruct gives it after conversion to the version that is
/// validated. O(size). Most structs that are shown whole are the same in all versions.
template <class T>
std::string ShownInVersion(const T& item, const Findings& /*out*/) {
  return ShownStruct(item);
}
/// v1beta1 has no `exactly`: its members are those of the request.
std::string ShownInVersion(const resource_v1::DeviceRequest& request, const Findings& out);

}  // namespace dray::api::validation
