// SPDX-License-Identifier: Apache-2.0
// What would be accepted: for people whose manifest was not. Hints are Dray's own; texts of errors
// are upstream's and stand elsewhere.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "api/release.h"

namespace dray::manifests {

/// What could be meant by the field `path` ("spec.devices.requests[0].deviceClassName"), which
/// `kind` does not have in `release`: a field of that name elsewhere, in another release or
/// version, or one spelled alike; else the fields that could stand there. Empty when `path` leads
/// nowhere. Linear in the number of fields of the kind.
std::string HintForUnknownField(const api::KindInfo& kind,
                                api::Release release,
                                std::string_view path);

/// What the field `path` holds ("a list", "a quantity such as …"); empty when there is no such
/// field.
std::string HintForValue(const api::KindInfo& kind, api::Release release, std::string_view path);

/// "did you mean ResourceClaim?" of a kind that its group does not have, where one is a slip away.
std::string HintForKind(std::span<const api::KindInfo* const> kinds,
                        std::string_view group,
                        std::string_view kind);

/// "resource.k8s.io/v1, resource.k8s.io/v1beta2": in which versions there is such a kind.
std::string VersionsOf(std::span<const api::KindInfo* const> kinds,
                       std::string_view group,
                       std::string_view kind);

/// Which versions of `kind` (of `group`) `release` serves, or else which releases do; empty when no
/// release has such a kind.
std::string HintForVersion(std::span<const api::KindInfo* const> kinds,
                           std::string_view group,
                           std::string_view kind,
                           api::Release release);

/// "since 1.33", "in 1.31", "from 1.31 to 1.33", "up to 1.36".
std::string Described(api::Releases in);

}  // namespace dray::manifests
