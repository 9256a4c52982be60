// SPDX-License-Identifier: Apache-2.0
// Objects that the input has more than once, for example in a dump and in files of a repository.
#pragma once

#include <vector>

#include "manifests/objects.h"

namespace dray::planning::inline objects {

/// Whether the input gives an object a uid and such; otherwise they are made up.
struct Naming {
  bool is_named = false;
  bool has_uid = false;
};

/// Joins objects with the same kind, namespace and name into one, at the place of the first: the
/// last one, as if it had been applied over those before it. So it keeps their status and the
/// fields that the server wrote, unless it has its own; a pod on a node and an allocated claim keep
/// their spec. An object with another uid replaces earlier ones. An object without a name is never
/// joined. `naming` has an element for each of `objects`, which are in storage form. O(n log n).
void JoinRepeated(std::vector<manifests::ManifestObject>& objects,
                  const std::vector<Naming>& naming);

}  // namespace dray::planning::inline objects
