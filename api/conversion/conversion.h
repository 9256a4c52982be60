// SPDX-License-Identifier: Apache-2.0
// Conversion between the versions of a kind. Every kind is kept in one struct, its hub
// (KindInfo::storage): v1 for the structured versions v1alpha3 to v1, v1alpha2 for the classic
// v1alpha1 and v1alpha2. Upstream: pkg/apis/resource/*/conversion.go.
#pragma once

#include <string>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"

namespace dray::api::conversion {

/// Converts `object`, which has its defaults, to the struct of its hub; returns `object` itself if
/// its kind is the hub. Never fails. O(size).
Object ToHub(const Object& object, Release release = Release::kAny);

/// Converts `hub` to the form of `version`; leaves out fields that `version` cannot express.
/// `version` is one of the kinds whose storage() is the hub's kind. If it is that kind, returns
/// `hub` itself; fields that the release does not show are left out when it is written (Wire).
Object FromHub(const Object& hub, const KindInfo& version, Release release = Release::kAny);

/// Completes `next`, a hub object that a client of `version` wrote to replace `stored`. Fields that
/// this version cannot express are copied from `stored`, inside parents that still exist. Elements
/// of lists are matched by their map key, else by name, else by position when they are otherwise
/// equal.
void MergeBack(const KindInfo& version,
               const Object& stored,
               Object& next,
               Release release = Release::kAny);

/// A field that another version cannot express.
struct Loss {
  std::string path;   // spec.devices.requests[0].capacity
  std::string value;  // as JSON, shortened
};

/// The fields lost by converting `object` to the same kind in `to`, a version of the same hub, in
/// the order of the schema.
std::vector<Loss> Losses(const Object& object, const KindInfo& to, Release release = Release::kAny);

}  // namespace dray::api::conversion
