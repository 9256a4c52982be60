// SPDX-License-Identifier: Apache-2.0
#include "cel/language/time_zones.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/result.h"
#include "cel/language/time_zone.h"
#include "cel/language/time_zone_rule.h"
#include "cel/library/times.h"

namespace dray::cel::inline language {
namespace {

constexpr std::string_view kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";
constexpr std::string_view kSydney = "AEST-10AEDT,M10.1.0,M4.1.0/3";

struct RuleCase {
  std::string_view rule;
  std::string_view time;
  std::optional<int32_t> hours;
};
constexpr RuleCase kRules[] = {
    {kBerlin, "2060-03-28T00:59:59Z", 1},
    {kBerlin, "2060-03-28T01:00:00Z", 2},
    {kBerlin, "2060-10-31T00:59:59Z", 2},
    {kBerlin, "2060-10-31T01:00:00Z", 1},
    {kSydney, "2050-01-01T00:00:00Z", 11},
    {kSydney, "2050-04-02T16:00:00Z", 10},
    {kSydney, "2050-12-31T23:59:59Z", 11},
    {"<+05>-5", "2050-01-01T00:00:00Z", 5},
    {"EST5EDT", "2050-07-01T00:00:00Z", -4},                    // the rules of the United States
    {"IST-1GMT0,M10.5.0,M3.5.0/1", "2050-01-01T00:00:00Z", 0},  // winter time is the other one
    {"AAA0BBB,J60/0,J61/0", "2024-03-01T12:00:00Z", 1},         // 29 February is not counted
    {"AAA0BBB,59/0,60/0", "2024-02-29T12:00:00Z", 1},           // here it is
    {"X-1", "2050-01-01T00:00:00Z", std::nullopt},
    {"CET-1CEST,M3.5.0", "2050-01-01T00:00:00Z", std::nullopt},
    {"CET-1CEST,M13.5.0,M10.5.0", "2050-01-01T00:00:00Z", std::nullopt},
    {"", "2050-01-01T00:00:00Z", std::nullopt},
};

TEST(TimeZoneTest, RulesGiveTheOffsetOfADate) {
  for (const RuleCase& c : kRules) {
    const auto time = library::ReadTimestamp(c.time);
    ASSERT_TRUE(time.has_value()) << c.time;
    const auto offset = OffsetByRule(c.rule, time->seconds);
    ASSERT_EQ(offset.has_value(), c.hours.has_value()) << c.rule;
    if (offset.has_value()) EXPECT_EQ(*offset, *c.hours * 3600) << c.rule << " at " << c.time;
  }
}

// A file of version 1 with two periods and one transition.
std::string SmallFile() {
  std::string file = "TZif";
  file += std::string(16, '\0');
  const auto number = [&file](uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) file += static_cast<char>((value >> shift) & 0xff);
  };
  for (const uint32_t count : {0u, 0u, 0u, 1u, 2u, 4u}) number(count);
  number(1000);
  file += '\1';
  number(3600);
  file += std::string(2, '\0');
  number(7200);
  file += '\1';
  file += '\0';
  file += std::string("CET\0", 4);
  return file;
}

TEST(TimeZoneTest, FilesAreReadOrRefused) {
  const std::string file = SmallFile();
  const auto zone = TimeZone::FromFile(file);
  ASSERT_TRUE(zone.has_value());
  EXPECT_EQ(zone->OffsetAt(999), 3600);
  EXPECT_EQ(zone->OffsetAt(1000), 7200);
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(TimeZone::FromFile(file.substr(0, size)).has_value()) << size;
  }
}

// Has one zone, Test/Two, and counts the look-ups.
class OneZone {
 public:
  TimeZones::ReadFile Reader() {
    return [this](std::string_view name) -> Result<std::string> {
      ++reads_;
      if (name == "Test/Two") return SmallFile();
      if (name == "Test/Broken") return "TZif";
      return Fail(StatusReason::kInvalid, "unknown time zone " + std::string(name));
    };
  }
  int reads() const { return reads_; }

 private:
  int reads_ = 0;
};

TEST(TimeZonesTest, EachFileIsReadOnce) {
  OneZone files;
  const TimeZones zones(files.Reader());
  for (int i = 0; i < 3; ++i) {
    const auto zone = FindTimeZone(&zones, "Test/Two");
    ASSERT_TRUE(zone.has_value());
    EXPECT_EQ((*zone)->OffsetAt(1000), 7200);
  }
  EXPECT_EQ(files.reads(), 1);
}

TEST(TimeZonesTest, UtcIsAlwaysThere) {
  for (const std::string_view name : {"", "UTC", "Local"}) {
    const auto zone = FindTimeZone(nullptr, name);
    ASSERT_TRUE(zone.has_value()) << name;
    EXPECT_EQ(*zone, nullptr) << name;
  }
}

TEST(TimeZonesTest, WhatIsNoZoneIsAnError) {
  OneZone files;
  const TimeZones zones(files.Reader());
  const auto problem = [](const TimeZones* among, std::string_view name) {
    const auto zone = FindTimeZone(among, name);
    return zone.has_value() ? std::string("none") : zone.error().message;
  };
  EXPECT_EQ(problem(&zones, "Test/One"), "unknown time zone Test/One");
  EXPECT_EQ(problem(&zones, "Test/Broken"), "malformed time zone information");
  EXPECT_EQ(problem(nullptr, "Test/Two"), "unknown time zone Test/Two");
  EXPECT_EQ(files.reads(), 2);
  for (const char* const name : {"../etc/passwd", "/etc/passwd", "\\x"}) {
    EXPECT_EQ(problem(&zones, name), "time: invalid location name") << name;
  }
  EXPECT_EQ(problem(&zones, std::string_view("a\0b", 3)), "invalid argument");
  EXPECT_EQ(files.reads(), 2) << "names that lead elsewhere are never read";
}

}  // namespace
}  // namespace dray::cel::inline language
