// SPDX-License-Identifier: Apache-2.0
#include "api/validation/shown_in_version.h"

#include "api/conversion/structs.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1beta1.h"

namespace dray::api::validation {

std::string ShownInVersion(const resource_v1::DeviceRequest& request, const Findings& out) {
  if (!out.is_v1beta1()) return ShownStruct(request);
  resource_v1beta1::DeviceRequest shown;
  conversion::ConvertValue(
      {.direction = conversion::Direction::kFromHub, .release = out.profile.release},
      TypeOf<resource_v1::DeviceRequest>(),
      &request,
      TypeOf<resource_v1beta1::DeviceRequest>(),
      &shown);
  return ShownStruct(shown);
}

}  // namespace dray::api::validation
