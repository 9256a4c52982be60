// SPDX-License-Identifier: Apache-2.0
#include "metrics/registry.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/world.h"

namespace dray::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Description kApples{.name = "apples_total", .help = "Apples that fell."};

TEST(Registry, TextHasWhatWasCounted) {
  Registry registry;
  registry.CounterOf(kApples, {{"tree", "a"}}).Add();
  registry.CounterOf(kApples, {{"tree", "a"}}).Add(2);
  registry.CounterOf(kApples, {{"tree", "b\"\n"}}).Add();
  const Gauge depth = registry.GaugeOf({.name = "depth", .help = "How deep."});
  depth.Set(5);
  depth.Add(-1);
  const std::string text = registry.Text();
  EXPECT_THAT(text, HasSubstr("# HELP apples_total Apples that fell.\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE apples_total counter\n"));
  EXPECT_THAT(text, HasSubstr("apples_total{tree=\"a\"} 3\n"));
  EXPECT_THAT(text, HasSubstr(R"(apples_total{tree="b\"\n"} 1)"));
  EXPECT_THAT(text, HasSubstr("depth 4\n"));
}

TEST(Registry, HistogramsCountBelowBounds) {
  Registry registry;
  const std::vector<double> bounds = {0.5, 1, 2};
  const Histogram weights =
      registry.HistogramOf({.name = "weight", .help = "Weights."}, bounds, {{"tree", "a"}});
  for (const double weight : {0.25, 0.5, 1.5, 9.0}) weights.Observe(weight);
  const std::string text = registry.Text();
  EXPECT_THAT(text, HasSubstr("weight_bucket{tree=\"a\",le=\"0.5\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("weight_bucket{tree=\"a\",le=\"2\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("weight_bucket{tree=\"a\",le=\"+Inf\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("weight_sum{tree=\"a\"} 11.25\n"));
}

TEST(Registry, HandlesOfNobodyCountNothing) {
  Counter().Add();
  Gauge().Set(1);
  Histogram().Observe(1);
}

TEST(ProcessMetrics, AreThoseOfThisProcess) {
  Registry registry;
  ProcessMetrics process(registry, RealWorld().disk);
  process.Read();
  const std::string text = registry.Text();
  for (const char* name : {"process_cpu_seconds_total",
                           "process_resident_memory_bytes",
                           "process_virtual_memory_bytes",
                           "process_open_fds",
                           "process_max_fds",
                           "process_start_time_seconds"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\n") + name + " "));
    EXPECT_THAT(text, Not(HasSubstr(std::string("\n") + name + " 0\n"))) << name;
  }
}

}  // namespace
}  // namespace dray::metrics
