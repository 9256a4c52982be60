// SPDX-License-Identifier: Apache-2.0
#include "api/value/time.h"

#include <chrono>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace dray::api {
namespace {

struct TimeCase {
  const char *text, *want;
};

TEST(Time, IsReadAsGoReadsItAndPrintedInUtc) {
  const TimeCase cases[] = {
      {"2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"},
      {"2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"},
      {"2025-12-31T23:30:00-01:00", "2026-01-01T00:30:00Z"},
      {"2026-01-02T03:04:05.999999999999Z", "2026-01-02T03:04:05Z"},
      {"2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05Z"},
      {"2026-01-02T3:04:05Z", "2026-01-02T03:04:05Z"},
      {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
      {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"},
      {"1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
      {"0000-01-01T00:01:00+00:01", "0000-01-01T00:00:00Z"},
      {"9999-12-31T22:59:59-01:00", "9999-12-31T23:59:59Z"},
      {"2026-01-02T00:00:00+24:60", "2025-12-31T23:00:00Z"},
  };
  for (const TimeCase& c : cases) {
    const Result<Time> time = Time::Parse(c.text);
    ASSERT_TRUE(time.has_value()) << c.text << ": " << time.error().message;
    EXPECT_EQ(time->ToString(), c.want) << c.text;
  }
}

TEST(Time, BadOnesAreRefusedInGosWords) {
  const TimeCase cases[] = {
      {"", R"(as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006")"},
      {"yesterday", R"(as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006")"},
      {"2026", R"(as "2006-01-02T15:04:05Z07:00": cannot parse "" as "-")"},
      {"2026-1-02T03:04:05Z",
       R"(as "2006-01-02T15:04:05Z07:00": cannot parse "1-02T03:04:05Z" as "01")"},
      {"2026-01-02 03:04:05Z",
       R"(as "2006-01-02T15:04:05Z07:00": cannot parse " 03:04:05Z" as "T")"},
      {"2026-01-02", R"(as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T")"},
      {"2026-01-02T03:04Z", R"(as "2006-01-02T15:04:05Z07:00": cannot parse "Z" as ":")"},
      {"2026-01-02T03:04:05", R"(as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00")"},
      {"2026-01-02T03:04:05.Z", R"(as "2006-01-02T15:04:05Z07:00": cannot parse ".Z" as "Z07:00")"},
      {"2026-01-02T03:04:05z", R"(as "2006-01-02T15:04:05Z07:00": cannot parse "z" as "Z07:00")"},
      {"2026-01-02T03:04:05+0100",
       R"(as "2006-01-02T15:04:05Z07:00": cannot parse "+0100" as "Z07:00")"},
      {"2026-13-02T03:04:05Z", ": month out of range"},
      {"2026-00-02T03:04:05Z", ": month out of range"},
      {"2026-02-29T03:04:05Z", ": day out of range"},
      {"2100-02-29T03:04:05Z", ": day out of range"},
      {"2026-01-00T03:04:05Z", ": day out of range"},
      {"2026-01-02T24:04:05Z", ": hour out of range"},
      {"2026-01-02T23:60:05Z", ": minute out of range"},
      {"2026-01-02T23:04:60Z", ": second out of range"},
      {"2026-01-02T03:04:05+25:00", ": time zone offset hour out of range"},
      {"2026-01-02T03:04:05+01:61", ": time zone offset minute out of range"},
      {"2026-01-02T03:04:05Zx", R"(: extra text: "x")"},
      {"2026-01-02T03:04:05Z ", R"(: extra text: " ")"},
  };
  for (const TimeCase& c : cases) {
    const Result<Time> time = Time::Parse(c.text);
    ASSERT_FALSE(time.has_value()) << c.text;
    const std::string gap = c.want[0] == ':' ? "" : " ";
    EXPECT_EQ(time.error().message, "parsing time \"" + std::string(c.text) + "\"" + gap + c.want);
  }
  EXPECT_EQ(Time::Parse("\xc3\xa9\"\n").error().message,
            R"(parsing time "\xc3\xa9\"\x0a" as "2006-01-02T15:04:05Z07:00": )"
            R"(cannot parse "\xc3\xa9\"\x0a" as "2006")");
}

// Upstream answers with a fifth digit or a sign, and no client can read the object, or any list
// with it, again.
TEST(Time, MustHaveAYearOfFourDigitsInUtcToo) {
  for (const std::string text : {"0000-01-01T00:00:59+00:01",
                                 "9999-12-31T23:00:00-01:00",
                                 "9999-12-31T23:59:59-12:00",
                                 "0000-01-01T00:00:00+24:60"}) {
    const Result<Time> time = Time::Parse(text);
    ASSERT_FALSE(time.has_value()) << text;
    EXPECT_EQ(time.error().message, "parsing time \"" + text + "\": year out of range");
  }
  EXPECT_FALSE(MicroTime::Parse("9999-12-31T23:59:59.999999-00:01").has_value());
  EXPECT_EQ(MicroTime::Parse("9999-12-31T23:59:59.999999Z")->ToString(),
            "9999-12-31T23:59:59.999999Z");
}

TEST(Time, ZeroMeansAbsent) {
  EXPECT_TRUE(Time().IsZero());
  EXPECT_TRUE(Time::Parse("0001-01-01T00:00:00Z")->IsZero());
  EXPECT_FALSE(Time::FromUnixSeconds(0).IsZero());
  EXPECT_LT(Time(), Time::FromUnixSeconds(0));
}

TEST(Time, AgreesWithTheCalendarOfTheLibrary) {
  using std::chrono::sys_days;
  for (int days = -719528; days < 2932897; days += 97) {  // 0000-01-01 to 9999-12-31
    const std::chrono::year_month_day date{sys_days(std::chrono::days(days))};
    const std::string text = Time::FromUnixSeconds(int64_t{days} * 86400).ToString();
    EXPECT_EQ(std::stoi(text.substr(0, 4)), static_cast<int>(date.year()));
    EXPECT_EQ(std::stoul(text.substr(5, 2)), static_cast<unsigned>(date.month()));
    EXPECT_EQ(std::stoul(text.substr(8, 2)), static_cast<unsigned>(date.day()));
    EXPECT_EQ(Time::Parse(text)->unix_seconds(), int64_t{days} * 86400);
  }
}

TEST(Time, TheEndsOfTheRangePrint) {
  EXPECT_EQ(Time::FromUnixSeconds(std::numeric_limits<int64_t>::max()).ToString(),
            "292277026596-12-04T15:30:07Z");
  EXPECT_EQ(Time::FromUnixSeconds(std::numeric_limits<int64_t>::min()).ToString(),
            "-292277022657-01-27T08:29:52Z");
  EXPECT_EQ(MicroTime::FromUnix(std::numeric_limits<int64_t>::max(), 0).unix_micros(),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(MicroTime::FromUnix(std::numeric_limits<int64_t>::min(), 0).unix_micros(),
            std::numeric_limits<int64_t>::min());
}

TEST(MicroTime, HasExactlySixDigits) {
  const TimeCase good[] = {
      {"2026-01-02T03:04:05.000007Z", "2026-01-02T03:04:05.000007Z"},
      {"2026-01-02T03:04:05.123456+01:00", "2026-01-02T02:04:05.123456Z"},
      {"1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"},
      {"0001-01-01T00:00:00.000000Z", "0001-01-01T00:00:00.000000Z"},
  };
  for (const TimeCase& c : good) {
    const Result<MicroTime> time = MicroTime::Parse(c.text);
    ASSERT_TRUE(time.has_value()) << c.text << ": " << time.error().message;
    EXPECT_EQ(time->ToString(), c.want) << c.text;
  }
  const TimeCase bad[] = {
      {"2026-01-02T03:04:07Z", R"(cannot parse "Z" as ".000000")"},
      {"2026-01-02T03:04:07.5Z", R"(cannot parse ".5Z" as ".000000")"},
      {"2026-01-02T03:04:07.1234567Z", R"(cannot parse "7Z" as "Z07:00")"},
  };
  for (const TimeCase& c : bad) {
    const Result<MicroTime> time = MicroTime::Parse(c.text);
    ASSERT_FALSE(time.has_value()) << c.text;
    EXPECT_EQ(time.error().message,
              std::string("parsing time \"") + c.text +
                  "\" as \"2006-01-02T15:04:05.000000Z07:00\": " + c.want);
  }
  EXPECT_TRUE(MicroTime::Parse("0001-01-01T00:00:00.000000Z")->IsZero());
  EXPECT_EQ(MicroTime::FromUnix(1, 2999).unix_micros(), 1000002);
}

TEST(Duration, IsReadAndPrintedInGosSpelling) {
  const TimeCase cases[] = {
      {"0", "0s"},
      {"+0", "0s"},
      {"0s", "0s"},
      {"1h2m3s", "1h2m3s"},
      {"5m", "5m0s"},
      {"3600s", "1h0m0s"},
      {"1.5h", "1h30m0s"},
      {"-1.5s", "-1.5s"},
      {"300ms", "300ms"},
      {"1us", "1\u00b5s"},
      {"1\u00b5s", "1\u00b5s"},
      {"1\u03bcs", "1\u00b5s"},
      {"1500ns", "1.5\u00b5s"},
      {"7ns", "7ns"},
      {".5s", "500ms"},
      {"1.s", "1s"},
      {"1h1h", "2h0m0s"},
      {"1000000h", "1000000h0m0s"},
      {"9223372036854775807ns", "2562047h47m16.854775807s"},
      {"-9223372036854775808ns", "-2562047h47m16.854775808s"},
      {"0.3333333333333333333h", "20m0s"},
      {"1.000000000000000000000000001s", "1s"},
  };
  for (const TimeCase& c : cases) {
    const Result<Duration> duration = Duration::Parse(c.text);
    ASSERT_TRUE(duration.has_value()) << c.text << ": " << duration.error().message;
    EXPECT_EQ(duration->ToString(), c.want) << c.text;
    EXPECT_EQ(Duration::Parse(duration->ToString())->nanos(), duration->nanos()) << c.text;
  }
}

TEST(Duration, BadOnesAreRefusedInGosWords) {
  const TimeCase cases[] = {
      {"", R"(time: invalid duration "")"},
      {"-", R"(time: invalid duration "-")"},
      {"abc", R"(time: invalid duration "abc")"},
      {".s", R"(time: invalid duration ".s")"},
      {"1", R"(time: missing unit in duration "1")"},
      {"1h5", R"(time: missing unit in duration "1h5")"},
      {"1d", R"(time: unknown unit "d" in duration "1d")"},
      {"1s ", R"(time: unknown unit "s " in duration "1s ")"},
      {"9223372036854775808ns", R"(time: invalid duration "9223372036854775808ns")"},
      {"9999999999999999999ns", R"(time: invalid duration "9999999999999999999ns")"},
      {"2562048h", R"(time: invalid duration "2562048h")"},
      {"-9223372036854775809ns", R"(time: invalid duration "-9223372036854775809ns")"},
  };
  for (const TimeCase& c : cases) {
    const Result<Duration> duration = Duration::Parse(c.text);
    ASSERT_FALSE(duration.has_value()) << c.text;
    EXPECT_EQ(duration.error().message, c.want);
  }
}

}  // namespace
}  // namespace dray::api
