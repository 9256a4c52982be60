// SPDX-License-Identifier: Apache-2.0
#include "api/value/semver.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace dray::api {
namespace {

TEST(Semver, GoodVersionsAreKeptAsWritten) {
  for (const char* text : {"0.0.0",
                           "1.2.3",
                           "1.2.3-rc.1+build.5",
                           "0.1.0-alpha.1",
                           "1.0.0--",
                           "1.0.0+001.x-y",
                           "1.0.0-0",
                           "18446744073709551615.0.0",
                           "1.0.0-18446744073709551615",
                           "1.0.0-00a"}) {
    const Result<Semver> version = Semver::Parse(text);
    ASSERT_TRUE(version.has_value()) << text;
    EXPECT_EQ(version->ToString(), text);
    EXPECT_TRUE(IsSemver(text)) << text;
  }
}

TEST(Semver, BadVersionsAreRefusedInUpstreamsWords) {
  struct {
    const char *text, *message;
  } const cases[] = {
      {"", "Version string empty"},
      {"1", "No Major.Minor.Patch elements found"},
      {"1.0", "No Major.Minor.Patch elements found"},
      {"v1.0.0", R"(Invalid character(s) found in major number "v1")"},
      {" 1.0.0", R"(Invalid character(s) found in major number " 1")"},
      {"-1.0.0", R"(Invalid character(s) found in major number "-1")"},
      {"1.x.0", R"(Invalid character(s) found in minor number "x")"},
      {"1.0.0.0", R"(Invalid character(s) found in patch number "0.0")"},
      {"01.0.0", R"(Major number must not contain leading zeroes "01")"},
      {"1.00.0", R"(Minor number must not contain leading zeroes "00")"},
      {"1.0.01", R"(Patch number must not contain leading zeroes "01")"},
      {"18446744073709551616.0.0",
       R"(strconv.ParseUint: parsing "18446744073709551616": value out of range)"},
      {"1..0", R"(strconv.ParseUint: parsing "": invalid syntax)"},
      {"1.0.0-01", R"(Numeric PreRelease version must not contain leading zeroes "01")"},
      {"1.0.0-", "Prerelease is empty"},
      {"1.0.0-a..b", "Prerelease is empty"},
      {"1.0.0-a.", "Prerelease is empty"},
      {"1.0.0-é", R"(Invalid character(s) found in prerelease "é")"},
      {"1.0.0+", "Build meta data is empty"},
      {"1.0.0+a_b", R"(Invalid character(s) found in build meta data "a_b")"},
  };
  for (const auto& c : cases) {
    const Result<Semver> version = Semver::Parse(c.text);
    ASSERT_FALSE(version.has_value()) << c.text;
    EXPECT_EQ(version.error().message, c.message);
  }
}

TEST(Semver, FormAloneAllowsNumbersOfAnySize) {
  EXPECT_TRUE(IsSemver("18446744073709551616.0.0-99999999999999999999999"));
  for (const char* text : {"",
                           "1",
                           "1.0",
                           "1.0.0.0",
                           "01.0.0",
                           "1..0",
                           "1.0.0-",
                           "1.0.0-01",
                           "1.0.0+",
                           "v1.0.0",
                           "1.0.0-a..b",
                           "1.0.0+a..b",
                           "1.0.0 ",
                           "1.0.0-é"}) {
    EXPECT_FALSE(IsSemver(text)) << text;
  }
}

TEST(Semver, NormalizationRepairsShortVersions) {
  struct {
    const char *text, *want;
  } const good[] = {
      {"1.0", "1.0.0"},
      {"1", "1.0.0"},
      {"v1", "1.0.0"},
      {"01.02.03", "1.2.3"},
      {"00.00.00", "0.0.0"},
      {"1.2.03-rc", "1.2.3-rc"},
      {"v1.2.3+b", "1.2.3+b"},
      {"1.02.003-rc.1", "1.2.3-rc.1"},
  };
  for (const auto& c : good) {
    const Result<Semver> version = Semver::ParseNormalized(c.text);
    ASSERT_TRUE(version.has_value()) << c.text;
    EXPECT_EQ(version->ToString(), c.want);
  }
  struct {
    const char *text, *message;
  } const bad[] = {
      {"", R"(strconv.ParseUint: parsing "": invalid syntax)"},
      {"v", R"(strconv.ParseUint: parsing "": invalid syntax)"},
      {"1..2", R"(strconv.ParseUint: parsing "": invalid syntax)"},
      {"1.0-rc1", "short version cannot contain PreRelease/Build meta data"},
      {"1+b", "short version cannot contain PreRelease/Build meta data"},
      {" 1.0.0", R"(Invalid character(s) found in major number "0 1")"},
      {"V1.0.0", R"(Invalid character(s) found in major number "0V1")"},
      {"1.2.3-01", R"(Numeric PreRelease version must not contain leading zeroes "01")"},
  };
  for (const auto& c : bad) {
    const Result<Semver> version = Semver::ParseNormalized(c.text);
    ASSERT_FALSE(version.has_value()) << c.text;
    EXPECT_EQ(version.error().message, c.message) << c.text;
  }
}

TEST(Semver, OrderIsPrecedence) {
  const std::vector<std::vector<const char*>> ascending = {
      {"0.9.9"},
      {"1.0.0-0"},
      {"1.0.0-1"},
      {"1.0.0-2"},
      {"1.0.0-11"},
      {"1.0.0-alpha"},
      {"1.0.0-alpha.1"},
      {"1.0.0-alpha.beta"},
      {"1.0.0-beta"},
      {"1.0.0-beta.2"},
      {"1.0.0-beta.11"},
      {"1.0.0-rc.1"},
      {"1.0.0", "1.0.0+a", "1.0.0+b"},
      {"1.0.1"},
      {"1.2.0"},
      {"1.10.0"},
      {"9.0.0"},
      {"10.0.0"},
  };
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      for (const char* a : ascending[i]) {
        for (const char* b : ascending[j]) {
          EXPECT_EQ(*Semver::Parse(a) <=> *Semver::Parse(b), std::weak_ordering(i <=> j)) << a << b;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dray::api
