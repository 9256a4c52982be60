// SPDX-License-Identifier: Apache-2.0
#include "bench/samples.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace dray::bench {

void Samples::Add(double value) {
  values_.push_back(value);
  is_sorted_ = false;
}

double Samples::At(double percent) const {
  if (values_.empty()) return 0;
  if (!std::exchange(is_sorted_, true)) std::ranges::sort(values_);
  const auto at = static_cast<size_t>(static_cast<double>(values_.size()) * percent / 100);
  return values_[std::min(at, values_.size() - 1)];
}

std::string Samples::Percentiles(std::string_view unit, int decimals) const {
  return fmt::format(
      "p50 {1:.{0}f}, p99 {2:.{0}f}, max {3:.{0}f} {4}", decimals, median(), At(99), max(), unit);
}

std::string Samples::Median(std::string_view unit, int decimals) const {
  return fmt::format("{1:.{0}f} {2} (max {3:.{0}f})", decimals, median(), unit, max());
}

}  // namespace dray::bench
