// SPDX-License-Identifier: Apache-2.0
// What a mutation of a policy makes of an object. Pure. After apiserver's policy/mutating/patch.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "api/release.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::server::policies {

/// Applies `configuration`, a value of type Object, to `json`, an object of `kind` with kind and
/// apiVersion: scalars replace, structs, maps and lists with keys merge, sets grow. What merges as
/// a whole must not be in it. O(size of both), but for sorting.
///
/// Errors, in upstream's words: it does not fit the schema of the kind, or sets an atomic value.
std::expected<std::string, std::string> ApplyConfigurationTo(const api::KindInfo& kind,
                                                             std::string_view json,
                                                             const cel::Value& configuration,
                                                             api::Release release);

/// Carries `patch`, a list of JSONPatch, out on `json`; nothing if a `test` fails, after which the
/// object stays as it is. With the limits of patch::ApplyJsonPatch.
///
/// Errors, in upstream's words: an operation cannot be carried out.
std::expected<std::optional<std::string>, std::string> ApplyJsonPatchTo(std::string_view json,
                                                                        const cel::Value& patch,
                                                                        cel::Arena& arena);

}  // namespace dray::server::policies
