// SPDX-License-Identifier: Apache-2.0
// Measured values and how benchmarks print them. A percentile hides the one request that hangs, so
// the maximum stands beside every percentile and every median.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dray::bench {

/// For one thread: the first question after Add sorts the values.
class Samples {
 public:
  void Add(double value);

  size_t size() const { return values_.size(); }
  /// The value below which `percent` of them lie; 0 when there are none.
  double At(double percent) const;
  double median() const { return At(50); }
  double min() const { return At(0); }
  double max() const { return At(100); }

  /// "p50 3.25, p99 5.89, max 15.00 ms". The values are printed in `unit` as they are.
  std::string Percentiles(std::string_view unit, int decimals = 2) const;
  /// "27.6 ms (max 40.5)": the median.
  std::string Median(std::string_view unit, int decimals = 1) const;

 private:
  mutable std::vector<double> values_;
  mutable bool is_sorted_ = true;
};

}  // namespace dray::bench
