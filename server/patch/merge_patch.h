// SPDX-License-Identifier: Apache-2.0
// JSON merge patch (RFC 7386) on trees.
#pragma once

#include "server/patch/json_tree.h"

namespace dray::server::patch {

/// Merges `patch`, an object, into `document`. Linear in the patch.
void ApplyMergePatch(JsonTree patch, JsonTree& document);

}  // namespace dray::server::patch
