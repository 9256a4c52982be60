// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/what_if_report.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::cli::inline reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string JsonWithChanges(size_t devices) {
  WhatIfAnswer answer;
  answer.devices.emplace(devices,
                         planning::DeviceChange{.driver = "d",
                                                .pool = "p",
                                                .device = "x",
                                                .node = "",
                                                .before = planning::DeviceSituation(),
                                                .after = {}});
  return JsonOf(answer);
}

TEST(WhatIfReport, DevicesThatChangeHaveWhatTheyWereAndAre) {
  EXPECT_THAT(JsonWithChanges(1),
              HasSubstr(R"("deviceChanges":[{"driver":"d","pool":"p","device":"x",)"
                        R"("before":{"state":"free"}}])"));
}

TEST(WhatIfReport, SoManyDevicesThatChangeAreListed) {
  EXPECT_THAT(JsonWithChanges(kDeviceChangesMax), Not(HasSubstr("deviceChangesLeftOut")));
  EXPECT_THAT(JsonWithChanges(kDeviceChangesMax + 1), HasSubstr(R"("deviceChangesLeftOut":1)"));
}

}  // namespace
}  // namespace dray::cli::inline reports
