// SPDX-License-Identifier: Apache-2.0
// Hints for users whose manifest was rejected: what would be accepted. Hints are Dray's own; error
// messages are upstream's and made elsewhere.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "api/release.h"

namespace dray::manifests {

/// A suggestion for the field `path` ("spec.devices.requests[0].deviceClassName"), which `kind`
/// lacks in `release`: a field of that name elsewhere, in another release or version, or a similar
/// name; else the fields that are valid there. Empty if `path` does not resolve. Linear in the
/// number of fields of the kind.
std::string HintForUnknownField(const api::KindInfo& kind,
                                api::Release release,
                                std::string_view path);

/// The type of the field `path` ("a list", "a quantity such as …"); empty: there is no such field.
std::string HintForValue(const api::KindInfo& kind, api::Release release, std::string_view path);

/// "did you mean ResourceClaim?" for an unknown kind of a group, if a kind has a similar name.
std::string HintForKind(std::span<const api::KindInfo* const> kinds,
                        std::string_view group,
                        std::string_view kind);

/// "resource.k8s.io/v1, resource.k8s.io/v1beta2": the versions that have such a kind.
std::string VersionsOf(std::span<const api::KindInfo* const> kinds,
                       std::string_view group,
                       std::string_view kind);

/// The versions of `kind` (of `group`) that `release` serves, or else the releases that serve the
/// version; empty: no release has such a kind.
std::string HintForVersion(std::span<const api::KindInfo* const> kinds,
                           std::string_view group,
                           std::string_view kind,
                           api::Release release);

/// "since 1.33", "in 1.31", "from 1.31 to 1.33", "up to 1.36".
std::string Described(api::Releases in);

}  // namespace dray::manifests
