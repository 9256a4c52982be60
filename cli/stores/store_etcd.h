// SPDX-License-Identifier: Apache-2.0
// dray store on an etcd cluster.
#pragma once

#include "base/result.h"
#include "base/world.h"
#include "cli/stores/store_options.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline stores {

/// Returns the exit code: kExitNo if verify finds a problem. Precondition: options.store names etcd
/// servers.
///
/// Errors:
/// - kBadRequest: an option that has no effect on etcd.
/// - kAlreadyExists: restore into an etcd that has keys.
/// - kInvalid: restore from a file that is no backup of a data folder.
/// - kNotFound, kForbidden: a certificate's file.
/// - kServiceUnavailable: no member can be reached.
Result<int> StoreInEtcd(World& world, const StoreOptions& options, const Output& output);

}  // namespace dray::cli::inline stores
