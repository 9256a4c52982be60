// SPDX-License-Identifier: Apache-2.0
// Where objects of a custom kind have what the subresource scale shows, and what may stand there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/apiextensions_v1.h"
#include "api/value/tree.h"
#include "base/result.h"

namespace dray::server::registry {

/// The first name of `path`, such as ".spec.replicas"; the rest stays in it.
std::string_view TakeName(std::string_view& path);

/// The whole number at `path`; nothing where nothing is. O(depth of the path).
/// Errors: kUnknown  something else is there or on the way, in upstream's words.
Result<std::optional<int64_t>> NestedNumber(const api::Tree& object, std::string_view path);
/// The same for a text.
Result<std::optional<std::string>> NestedText(const api::Tree& object, std::string_view path);

/// What is wrong with the number of wanted replicas in `object`, of a version that is `said`;
/// nothing if the version has no scale.
std::vector<ErrorCause> CheckScaleSpec(
    const api::Tree& object, const api::apiextensions_v1::CustomResourceDefinitionVersion& said);
/// The same for the number of replicas that exist, and for the selector.
std::vector<ErrorCause> CheckScaleStatus(
    const api::Tree& object, const api::apiextensions_v1::CustomResourceDefinitionVersion& said);

}  // namespace dray::server::registry
