// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/conversion_metrics.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/registry.h"

namespace dray::server::webhooks {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ConversionMetrics, VersionsWithoutEndShareOneName) {
  metrics::Registry registry;
  ConversionMetrics metrics(&registry);
  const auto note_from = [&metrics](const std::string& version) {
    metrics.Note({.definition = "widgets.example.com", .from = version, .to = "v1"});
  };
  for (size_t i = 1; i <= kMeasuredConversionsMax; ++i) note_from(fmt::format("v1alpha{}", i));
  EXPECT_THAT(registry.Text(),
              HasSubstr(fmt::format("from_version=\"v1alpha{}\"", kMeasuredConversionsMax)));
  EXPECT_THAT(registry.Text(), Not(HasSubstr("from_version=\"other\"")));
  note_from("v2alpha1");
  note_from("v2alpha2");
  const std::string text = registry.Text();
  EXPECT_THAT(text, Not(HasSubstr("v2alpha")));
  EXPECT_THAT(
      text,
      HasSubstr("apiserver_crd_conversion_webhook_duration_seconds_count{crd_name=\"other\","
                "from_version=\"other\",succeeded=\"true\",to_version=\"other\"} 2\n"));
}

}  // namespace
}  // namespace dray::server::webhooks
