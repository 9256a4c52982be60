// SPDX-License-Identifier: Apache-2.0
// Problems in the form of the allocator vectors (tests/data/vectors/allocator/README.md): one JSON
// object a line. Outcomes stand beside the problem and are not looked at.
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

/// All switches off but those named; nothing when one of them is not known here.
std::optional<allocator::Features> FeaturesNamed(std::span<const std::string> names);

/// Reads a problem whose objects are of resource.k8s.io/v1.
/// Errors: kBadRequest  a member is missing or has another type, an object cannot be decoded, a
///                      switch is not known.
Result<Problem> DecodeProblem(const boost::json::object& problem);
/// The same of a line of text. Errors also: the line is not JSON.
Result<Problem> DecodeProblem(std::string_view line);

/// The line, without a line break. What it says decodes to the same problem, but for
/// Features::implementation, which has no place in it.
std::string EncodeProblem(const Problem& problem);

}  // namespace dray::judges
