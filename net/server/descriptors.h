// SPDX-License-Identifier: Apache-2.0
// How many connections the process's limit on open files allows.
#pragma once

#include <cstddef>

namespace dray::net::server {

/// Descriptors kept for what is no connection: the store's files and sockets, logs, listeners.
inline constexpr size_t kOtherDescriptors = 128;
/// More descriptors than this are not asked for.
inline constexpr size_t kDescriptorsMax = size_t{1} << 20;

/// Raises the limit on open files (RLIMIT_NOFILE) as far as this process may, up to
/// kDescriptorsMax, and returns what it is then. Call it once, at the start.
size_t RaiseDescriptorLimit();

/// The connections a server may hold with so many descriptors: what is left beside
/// kOtherDescriptors, or half where that is less; from 1 to kConnectionsMax.
size_t ConnectionsWithin(size_t descriptors);

}  // namespace dray::net::server
