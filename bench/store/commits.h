// SPDX-License-Identifier: Apache-2.0
// Durable commits per second: SqliteStore, the same batches in a bare loop of SQLite, and etcd.
#pragma once

#include <string>

namespace dray::bench {

/// Prints rates and ratios for 1, 16 and 64 writers. All files are in `folder`, except that etcd's
/// are in the folder for temporary files (TMPDIR), which must be on the same disk.
void MeasureCommits(const std::string& folder);

}  // namespace dray::bench
