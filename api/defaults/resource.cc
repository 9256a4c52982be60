// SPDX-License-Identifier: Apache-2.0
#include "api/defaults/defaults.h"

namespace dray::api::defaults {
namespace {

namespace v1 = resource_v1;

void SetTolerations(std::vector<v1::DeviceToleration>& tolerations) {
  for (v1::DeviceToleration& toleration : tolerations) {
    if (toleration.operator_.empty()) toleration.operator_ = "Equal";
  }
}

// Of exact requests and subrequests alike. A count of 0 cannot be told from none.
template <class Request>
void SetRequest(Request& request) {
  if (request.allocation_mode.empty()) request.allocation_mode = "ExactCount";
  if (request.allocation_mode == "ExactCount" && request.count == 0) request.count = 1;
  SetTolerations(request.tolerations);
}

void SetClaimSpec(v1::ResourceClaimSpec& spec) {
  for (v1::DeviceRequest& request : spec.devices.requests) {
    if (request.exactly.has_value()) SetRequest(*request.exactly);
    for (v1::DeviceSubRequest& subrequest : request.first_available) SetRequest(subrequest);
  }
}

}  // namespace

void SetClaimDefaults(v1::ResourceClaim& claim) {
  SetClaimSpec(claim.spec);
  if (!claim.status.allocation.has_value()) return;
  for (auto& result : claim.status.allocation->devices.results) SetTolerations(result.tolerations);
}

void SetClaimTemplateDefaults(v1::ResourceClaimTemplate& claim_template) {
  SetClaimSpec(claim_template.spec.spec);
}

void SetSliceDefaults(v1::ResourceSlice& slice, Time now) {
  for (v1::Device& device : slice.spec.devices) {
    for (v1::DeviceTaint& taint : device.taints) {
      if (!taint.time_added.has_value()) taint.time_added = now;
    }
  }
}

}  // namespace dray::api::defaults
