// SPDX-License-Identifier: Apache-2.0
// Durable commits per second: SqliteStore, the same batches in a bare loop of SQLite, and etcd.
#pragma once

#include <string>

namespace dray::bench {

/// Prints rates and ratios for 1, 16 and 64 writers. Everything lies in `folder`, or below the
/// folder for temporary files (TMPDIR) in the case of etcd: the same disk.
void MeasureCommits(const std::string& folder);

}  // namespace dray::bench
