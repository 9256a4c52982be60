// SPDX-License-Identifier: Apache-2.0
// The allocations of the past, as far as the server's history goes.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "server/http/pages.h"

namespace dray::cli::inline dashboard {

/// The most changes of one answer; older ones are left out, and `from` moves behind them.
inline constexpr size_t kHistoryChangesMax = 20'000;

/// {"from": {"revision", "time"}, "to": {…}, "changes": [{"revision", "time", "claim":
/// "namespace/name", "uid", "devices": ["driver/pool/device", …]}, …], "unread": […]}: the changes
/// of what claims have, the oldest first, of all claims that the user may list, or else of those in
/// the namespace of the question. Devices of administrators are left out, as they take nothing.
///
/// Errors: kForbidden  the user may not list claims there. kNotFound  the server keeps no times.
Result<std::string> AllocationHistory(const server::http::PageQuestion& question,
                                      size_t changes_max = kHistoryChangesMax);

}  // namespace dray::cli::inline dashboard
