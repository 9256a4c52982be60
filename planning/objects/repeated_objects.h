// SPDX-License-Identifier: Apache-2.0
// Objects that are in the input more than once: in a dump and in the files of a repository.
#pragma once

#include <vector>

#include "manifests/objects.h"

namespace dray::planning::inline objects {

/// Whether the input gives an object these; else they are made up.
struct Naming {
  bool is_named = false;
  bool has_uid = false;
};

/// Of all objects with one kind, namespace and name, `objects` keeps one, where the first stood:
/// the last one, as applying it over those before it would leave it. So it keeps their status and
/// what the server wrote, unless it has its own; a pod on a node and an allocated claim keep their
/// spec. An object with another uid replaces what was before. One without a name is an object of
/// its own. `naming` is about each of `objects`, which are in the form of the store. O(n log n).
void JoinRepeated(std::vector<manifests::ManifestObject>& objects,
                  const std::vector<Naming>& naming);

}  // namespace dray::planning::inline objects
