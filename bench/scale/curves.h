// SPDX-License-Identifier: Apache-2.0
// How figures grow, as a picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dray::bench {

/// A figure by the size of the cluster. Sizes and figures are positive.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // size, figure
};

/// An SVG with both axes logarithmic. Each figure is drawn as a multiple of that of the smallest
/// size, so a level line does not grow, and the diagonal grows as the cluster does.
std::string DrawCurves(const std::vector<Curve>& curves);

}  // namespace dray::bench
