// SPDX-License-Identifier: Apache-2.0
// dray store on a data folder.
#pragma once

#include "base/result.h"
#include "base/world.h"
#include "cli/stores/store_options.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline stores {

/// Returns the exit code: kExitNo if verify finds a problem. Precondition: options.store names no
/// etcd servers. Errors: those of store/sqlite/maintenance.h.
Result<int> StoreInFolder(World& world, const StoreOptions& options, const Output& output);

}  // namespace dray::cli::inline stores
