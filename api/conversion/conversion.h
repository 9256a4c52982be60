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

/// `object`, which has its defaults, in the struct of its hub; itself when its kind is the hub.
/// Total: every object can be converted. O(size).
Object ToHub(const Object& object, Release release = Release::kAny);

/// How a client of `version` sees `hub`; what `version` cannot express is left out. `version` is
/// one of the kinds whose storage() is the hub's kind. When it is that kind, `hub` itself: what a
/// release does not show of it is left out when it is written (Wire).
Object FromHub(const Object& hub, const KindInfo& version, Release release = Release::kAny);

/// Completes `next`, a hub object that a client of `version` wrote to replace `stored`: what that
/// version cannot express is taken from `stored`, inside parents that are still there. Elements of
/// lists are matched by their map key, else by name, else by position when they are otherwise
/// alike.
void MergeBack(const KindInfo& version,
               const Object& stored,
               Object& next,
               Release release = Release::kAny);

/// A field that another version cannot express.
struct Loss {
  std::string path;   // spec.devices.requests[0].capacity
  std::string value;  // as JSON, shortened
};

/// What is lost on the way from `object` to the same kind in `to`, a version of the same hub, in
/// the order of the schema.
std::vector<Loss> Losses(const Object& object, const KindInfo& to, Release release = Release::kAny);

}  // namespace dray::api::conversion
