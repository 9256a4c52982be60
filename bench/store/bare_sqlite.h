// SPDX-License-Identifier: Apache-2.0
// The least work with which SQLite makes the same batches durable: one table, one prepared insert,
// one transaction per batch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dray::bench {

/// Returns rows per second for batches with the given numbers of rows, after the first `warm` of
/// them. Cycles through `values`.
double BareSqliteRate(const std::string& file,
                      const std::vector<size_t>& batches,
                      size_t warm,
                      const std::vector<std::string>& values);

}  // namespace dray::bench
