// SPDX-License-Identifier: Apache-2.0
// Measured values and their output. A percentile hides the one request that hangs, so the maximum
// is printed with every percentile and every median.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dray::bench {

/// Not thread-safe: the first query after Add sorts the values.
class Samples {
 public:
  void Add(double value);

  size_t size() const { return values_.size(); }
  /// The value below which `percent` of the values are; 0 if there are none.
  double At(double percent) const;
  double median() const { return At(50); }
  double min() const { return At(0); }
  double max() const { return At(100); }

  /// "p50 3.25, p99 5.89, max 15.00 ms". `unit` is printed without conversion.
  std::string Percentiles(std::string_view unit, int decimals = 2) const;
  /// The median: "27.6 ms (max 40.5)".
  std::string Median(std::string_view unit, int decimals = 1) const;

 private:
  mutable std::vector<double> values_;
  mutable bool is_sorted_ = true;
};

}  // namespace dray::bench
