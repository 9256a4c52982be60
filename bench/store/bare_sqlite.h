// SPDX-License-Identifier: Apache-2.0
// The least that SQLite can do to make the same batches durable: one table, one prepared insert,
// one transaction per batch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dray::bench {

/// Rows per second, for batches of the given numbers of rows, after the first `warm` of them.
/// Values go round in `values`.
double BareSqliteRate(const std::string& file,
                      const std::vector<size_t>& batches,
                      size_t warm,
                      const std::vector<std::string>& values);

}  // namespace dray::bench
