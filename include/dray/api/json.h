// SPDX-License-Identifier: Apache-2.0
// Reads objects from JSON and YAML and writes JSON, in any version of resource.k8s.io:
//
//   const auto slice = dray::api::FromJson<dray::api::resource_v1::ResourceSlice>(text);
//   if (!slice) return slice.error();
//   Use(slice->spec.devices);
//   const std::string json = dray::api::ToJson(*slice);
//
// T is one of DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate and ResourceSlice
// of resource_v1, or Node and Pod of core_v1.
#pragma once

#include <string>
#include <string_view>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "api/value/time.h"
#include "base/result.h"

namespace dray::api::inline v0 {

/// Reads one object, which states its kind and apiVersion, and fills in defaults. Converts older
/// versions to v1. Ignores unknown fields; if a field occurs twice, the last one counts. `now` is
/// for defaults that are a time (timeAdded of a taint). O(length).
///
/// Errors: kBadRequest  not JSON, another kind, a version that Dray does not know, or a value of
/// the wrong type, with its path.
template <class T>
Result<T> FromJson(std::string_view json, Time now = {});
/// The same for the first document of a YAML text; syntax errors name the line.
template <class T>
Result<T> FromYaml(std::string_view yaml, Time now = {});

/// Writes it as Kubernetes does: compact, kind and apiVersion first.
template <class T>
std::string ToJson(const T& object);

}  // namespace dray::api::inline v0
