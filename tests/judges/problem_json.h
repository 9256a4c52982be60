// SPDX-License-Identifier: Apache-2.0
// Problems in the format of the allocator vectors (tests/data/vectors/allocator/README.md): one
// JSON object a line. Expected outcomes in the same line are ignored.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "dray/features.h"
#include "tests/judges/problem.h"

namespace dray::judges {

/// Features with the named switches on and all others off; absent: a switch is unknown.
std::optional<allocator::Features> FeaturesNamed(std::span<const std::string> names);

/// Reads a problem whose objects are of resource.k8s.io/v1.
/// Errors: kBadRequest  a member is missing or has another type, an object cannot be decoded, a
///                      switch is not known.
Result<Problem> DecodeProblem(const boost::json::object& problem);
/// The same for a line of text. Errors also: the line is not JSON.
Result<Problem> DecodeProblem(std::string_view line);

/// Encodes the problem as a line, without a line break. It decodes to the same problem, except for
/// Features::implementation, which the format lacks.
std::string EncodeProblem(const Problem& problem);

}  // namespace dray::judges
