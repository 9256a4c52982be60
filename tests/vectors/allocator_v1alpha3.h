// SPDX-License-Identifier: Apache-2.0
// Problems and results of v0.31.8, whose API is resource.k8s.io/v1alpha3.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "api/resource_v1/allocation.h"
#include "base/result.h"
#include "tests/judges/problem.h"

namespace dray::vectors {

/// A problem whose objects are v1alpha3, in the structs of the hub.
/// Errors: as judges::DecodeProblem.
Result<judges::Problem> DecodeV1alpha3Problem(const boost::json::object& problem);

/// The JSON of an AllocationResult in v1alpha3.
std::string V1alpha3Json(const api::resource_v1::AllocationResult& result);

}  // namespace dray::vectors
