// SPDX-License-Identifier: Apache-2.0
// dray store on an etcd cluster.
#pragma once

#include <cstdio>

#include "base/result.h"
#include "base/world.h"
#include "cli/store.h"

namespace dray::cli {

/// The exit code. Precondition: options.store names etcd servers.
///
/// Errors: kBadRequest          what etcd does not do, or an option it has no use for.
///         kNotFound, kForbidden  a certificate's file.
///         kServiceUnavailable  no member can be reached.
Result<int> StoreInEtcd(World& world,
                        const StoreOptions& options,
                        std::FILE* out,
                        std::FILE* notes);

}  // namespace dray::cli
