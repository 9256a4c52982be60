// SPDX-License-Identifier: Apache-2.0
#include "bench/scale/curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace dray::bench {
namespace {

constexpr double kWidth = 640, kHeight = 400, kMargin = 60, kLegend = 190;
// Told apart by dashes too.
constexpr std::array<std::string_view, 6> kColours = {
    "#1b6ca8", "#b5442e", "#3a7d44", "#7a4ea3", "#8a6d1d", "#444444"};
constexpr std::array<std::string_view, 6> kDashes = {
    "none", "8 3", "2 3", "8 3 2 3", "12 4", "4 4"};

/// Maps logarithms of sizes and multiples to the picture.
class Frame {
 public:
  explicit Frame(const std::vector<Curve>& curves) {
    for (const Curve& curve : curves) {
      for (const auto& [size, figure] : curve.points) {
        size_min_ = std::min(size_min_, size);
        size_max_ = std::max(size_max_, size);
        top_ = std::max(top_, figure / curve.points.front().second);
        bottom_ = std::min(bottom_, figure / curve.points.front().second);
      }
    }
  }

  double X(double size) const {
    const double range = std::log(size_max_ / size_min_);
    const double part = range == 0 ? 0 : std::log(size / size_min_) / range;
    return kMargin + part * (kWidth - 2 * kMargin);
  }
  double Y(double multiple) const {
    const double range = std::log(top_ / bottom_);
    const double part = range == 0 ? 0 : std::log(multiple / bottom_) / range;
    return kHeight - kMargin - part * (kHeight - 2 * kMargin);
  }
  double bottom() const { return bottom_; }
  double top() const { return top_; }

 private:
  double size_min_ = std::numeric_limits<double>::max(), size_max_ = 0;
  double bottom_ = 0.5, top_ = 2;
};

void Draw(const Frame& frame, const Curve& curve, size_t index, std::string& svg) {
  const std::string_view colour = kColours[index % kColours.size()];
  std::string points;
  for (const auto& [size, figure] : curve.points) {
    points +=
        fmt::format("{:.1f},{:.1f} ", frame.X(size), frame.Y(figure / curve.points.front().second));
  }
  fmt::format_to(std::back_inserter(svg),
                 "<polyline fill='none' stroke='{}' stroke-width='2' stroke-dasharray='{}' "
                 "points='{}'/>\n",
                 colour,
                 kDashes[index % kDashes.size()],
                 points);
  const double y = kMargin + 18 * static_cast<double>(index);
  fmt::format_to(std::back_inserter(svg),
                 "<line x1='{0}' x2='{1}' y1='{2}' y2='{2}' stroke='{3}' stroke-width='2' "
                 "stroke-dasharray='{4}'/><text x='{5}' y='{6}'>{7}</text>\n",
                 kWidth - 30,
                 kWidth - 5,
                 y,
                 colour,
                 kDashes[index % kDashes.size()],
                 kWidth,
                 y + 4,
                 curve.name);
}

void DrawAxes(const Frame& frame, const std::vector<Curve>& curves, std::string& svg) {
  for (const auto& [size, figure] : curves.front().points) {
    fmt::format_to(std::back_inserter(svg),
                   "<text x='{:.1f}' y='{}' text-anchor='middle'>{:.0f}</text>\n",
                   frame.X(size),
                   kHeight - kMargin + 20,
                   size);
  }
  for (double multiple = 1; multiple >= frame.bottom() && multiple <= frame.top(); multiple *= 2) {
    fmt::format_to(std::back_inserter(svg),
                   "<line x1='{0}' x2='{1}' y1='{2:.1f}' y2='{2:.1f}' stroke='#cccccc'/>"
                   "<text x='{3}' y='{4:.1f}' text-anchor='end'>{5:.0f} ×</text>\n",
                   kMargin,
                   kWidth - kMargin,
                   frame.Y(multiple),
                   kMargin - 6,
                   frame.Y(multiple) + 4,
                   multiple);
  }
}

}  // namespace

std::string DrawCurves(const std::vector<Curve>& curves) {
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} {}' font-family='sans-serif' "
      "font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n",
      kWidth + kLegend,
      kHeight);
  const Frame frame(curves);
  DrawAxes(frame, curves, svg);
  for (size_t i = 0; i < curves.size(); ++i) Draw(frame, curves[i], i, svg);
  svg += "</svg>\n";
  return svg;
}

}  // namespace dray::bench
