// SPDX-License-Identifier: Apache-2.0
// Readers and writers behind the functions, at their edges. What expressions make of them is in the
// vectors.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cel/library/addresses.h"
#include "cel/library/call_cost.h"
#include "cel/library/go_numbers.h"
#include "cel/library/regex.h"
#include "cel/library/registry.h"
#include "cel/library/times.h"
#include "cel/library/urls.h"
#include "cel/value/arena.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

struct TimeCase {
  std::string_view text;
  std::string_view written;  // empty: refused
};
constexpr TimeCase kTimes[] = {
    {"2020-01-01T5:00:00Z", "2020-01-01T05:00:00Z"},
    {"2020-01-01T05:00:00,1234567891Z", "2020-01-01T05:00:00.123456789Z"},
    {"2020-01-01T05:00:00.100-01:30", "2020-01-01T05:00:00.1-01:30"},
    {"2020-01-01T05:00:00+24:60", "2020-01-01T05:00:00+25:00"},
    {"2020-01-01T05:00:00-00:00", "2020-01-01T05:00:00Z"},
    {"2020-01-01T05:00:00.Z", ""},
    {"2020-01-01t05:00:00Z", ""},
    {"2020-01-01T05:00:60Z", ""},
    {"2020-02-30T05:00:00Z", ""},
    {"2020-01-01T05:00:00+0100", ""},
    {"2020-01-01T05:00:00", ""},
    {"20-01-01T05:00:00Z", ""},
};

TEST(TimesTest, TextsAreReadAsGoReadsThem) {
  for (const TimeCase& c : kTimes) {
    const auto time = ReadTimestamp(c.text);
    EXPECT_EQ(time.has_value() ? TimestampText(*time) : "", c.written) << c.text;
  }
  EXPECT_EQ(DurationText(INT64_MIN), "-9223372036.854776s");
  EXPECT_EQ(DurationText(1), "0.000000001s");
}

struct NumberCase {
  std::string_view text;
  std::optional<double> value;
};
constexpr NumberCase kNumbers[] = {
    {"1_000.5", 1000.5},
    {"1__0", std::nullopt},
    {"_1", std::nullopt},
    {"1_", std::nullopt},
    {"1_.5", std::nullopt},
    {"0x_1p4", 16.0},
    {"0x1", std::nullopt},
    {"0x", std::nullopt},
    {".5", 0.5},
    {"5.", 5.0},
    {".", std::nullopt},
    {"1e", std::nullopt},
    {"1e400", std::nullopt},
    {"1e-400", 0.0},
    {"0e99999999999", 0.0},
    {"0x1p-1100", 0.0},
    {"0x1p1024", std::nullopt},
    {"+nan", std::nullopt},
    {"infin", std::nullopt},
    {"", std::nullopt},
    {"-", std::nullopt},
};

TEST(GoNumbersTest, DoublesAreReadAsGoReadsThem) {
  for (const NumberCase& c : kNumbers) EXPECT_EQ(ParseDouble(c.text), c.value) << c.text;
  EXPECT_EQ(ParseDouble("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(ParseDouble("1" + std::string(400, '0')), std::nullopt);
  EXPECT_EQ(ShortestText(1e6), "1e+06");
  EXPECT_EQ(ShortestText(999999.0), "999999");
  EXPECT_EQ(Atoi("+").error().message, R"(strconv.Atoi: parsing "+": invalid syntax)");
}

struct AddressCase {
  std::string_view text;
  std::string_view written;  // or the end of the error
};
constexpr AddressCase kAddresses[] = {
    {"0:0:1:0:0:0:1:0", "0:0:1::1:0"},
    {"1:0:0:2:0:0:3:4", "1::2:0:0:3:4"},
    {"1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"},
    {"::1.2.3.4", "::102:304"},
    {"a:b:c:d:e:f:0:0", "a:b:c:d:e:f::"},
    {"1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros"},
    {"1::2::3", R"(multiple :: in address (at ":3"))"},
    {"1:2:3:4:5:1.2.3.4",
     R"(embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4"))"},
    {"01.2.3.4", "IPv4 field has octet with leading zero"},
    {"1..2.3", R"(IPv4 field must have at least one digit (at ".2.3"))"},
    {"::1%", "zone must be a non-empty string"},
};

TEST(AddressesTest, TextsAreCanonicalOrRefusedInGoWords) {
  for (const AddressCase& c : kAddresses) {
    const auto address = ParseAddress(c.text);
    const std::string got = address.has_value() ? AddressText(*address) : address.error().message;
    EXPECT_TRUE(got.ends_with(c.written)) << c.text << ": " << got;
  }
  const IpPrefix prefix = ParsePrefix("ffff:ffff::/20").value();
  EXPECT_TRUE(SharePrefix(prefix.address, ParseAddress("ffff:f000::1").value(), prefix.bits));
  EXPECT_FALSE(SharePrefix(prefix.address, ParseAddress("ffff:e000::1").value(), prefix.bits));
}

struct UrlCase {
  std::string_view text;
  std::string_view written;  // or the error
};
constexpr UrlCase kUrls[] = {
    {"HTTP://user:p%40ss@Host:80/a b?q#f g", "http://user:p%40ss@Host:80/a%20b?q#f%20g"},
    {"http://[fe80::1%25en0]:80/", "http://[fe80::1%25en0]:80/"},
    {"http:/foo", "http:/foo"},
    {"file:///x", "file:///x"},
    {"/a%2fb", "/a%2fb"},
    {"/a?", "/a?"},
    {"mailto:a@b", "mailto:a@b"},
    {"a", R"(parse "a": invalid URI for request)"},
    {"http://[1.2.3.4]/", R"(parse "http://[1.2.3.4]/": invalid IP-literal)"},
    {"http://a b/", R"(parse "http://a b/": invalid character " " in host name)"},
    {"/%zz", R"(parse "/%zz": invalid URL escape "%zz")"},
    {"//h:x", R"(parse "//h:x": invalid port ":x" after host)"},
};

TEST(UrlsTest, TextsAreWrittenBackOrRefusedInGoWords) {
  for (const UrlCase& c : kUrls) {
    const auto url = ParseUrl(c.text);
    EXPECT_EQ(url.has_value() ? url->text : url.error().message, c.written);
  }
}

TEST(LibraryLimits, PatternsUpToTheirLongest) {
  const auto compiles = [](size_t bytes) {
    size_t left = kExpressionPatternsMax;
    return CompileRegex(std::string(bytes, 'a'), left).has_value();
  };
  EXPECT_TRUE(compiles(kPatternBytesMax));
  EXPECT_FALSE(compiles(kPatternBytesMax + 1));
}

TEST(LibraryLimits, GroupsInsideEachOther) {
  const auto outcome = [](size_t groups, std::string_view open) {
    std::string pattern;
    for (size_t i = 0; i < groups; ++i) pattern += open;
    pattern += 'a' + std::string(groups, ')');
    size_t left = kExpressionPatternsMax;
    const auto compiled = CompileRegex(pattern, left);
    return compiled.has_value() ? "" : compiled.error().message.substr(0, 52);
  };
  const std::string refusal = "error parsing regexp: expression nests too deeply: `";
  EXPECT_EQ(outcome(kPatternGroupsMax, "("), "");
  EXPECT_EQ(outcome(kPatternGroupsMax + 1, "("), refusal);
  EXPECT_EQ(outcome(kPatternGroupsMax + 1, "(?P<n>"), refusal);
  EXPECT_EQ(outcome(kPatternGroupsMax + 1, "(?:"), "") << "these capture nothing";
}

TEST(LibraryLimits, PatternsOfOneExpressionTogether) {
  size_t left = kExpressionPatternsMax;
  EXPECT_TRUE(CompileRegex("a", left).has_value());
  left = kExpressionPatternsMax - left;  // what it took
  EXPECT_TRUE(CompileRegex("a", left).has_value());
  EXPECT_FALSE(CompileRegex("a", left).has_value()) << "nothing is left";
}

TEST(LibraryLimits, TextsListsAndMapsUpToTheirLargest) {
  Arena arena;
  EXPECT_TRUE(MakeString(arena, std::string(kStringBytesMax, 'a')).is(ValueKind::kString));
  EXPECT_EQ(MakeString(arena, std::string(kStringBytesMax + 1, 'a')).text(), "string too long");
  // Each item is a leaf, and the list itself is one.
  std::vector<Value> items(kWeightMax - 1, Value::Int(1));
  EXPECT_TRUE(MakeList(arena, items).is(ValueKind::kList));
  items.push_back(Value::Int(1));
  EXPECT_EQ(MakeList(arena, items).text(), "list too long");
  std::vector<MapEntry> entries;
  while (2 * entries.size() + 3 <= kWeightMax) {  // the map, keys and values
    entries.push_back({Value::Int(static_cast<int64_t>(entries.size())), Value::Int(1)});
  }
  EXPECT_TRUE(MakeMap(arena, entries).is(ValueKind::kMap));
  entries.push_back({Value::Int(-1), Value::Int(1)});
  EXPECT_EQ(MakeMap(arena, entries).text(), "map too big");
}

TEST(LibraryTest, KeysWithoutOrderNeitherMergeNorHang) {
  Arena arena;
  const std::array lists = {MakeList(arena, {}), MakeList(arena, {})};
  const double nan = ParseDouble("nan").value();
  std::vector<MapEntry> entries = {{lists[0], Value::Int(1)},
                                   {lists[1], Value::Int(2)},
                                   {Value::Duration(5), Value::Int(3)},
                                   {Value::Duration(5), Value::Int(4)}};
  for (int i = 0; i < 100; ++i) {
    entries.push_back({Value::Double(i % 3 == 0 ? nan : 100 - i), Value::Int(i)});
  }
  const Value map = MakeMap(arena, entries);
  ASSERT_TRUE(map.is(ValueKind::kMap));
  EXPECT_EQ(map.map().entries().size(), entries.size() - 1);
  const Value* const found = map.map().Find(Value::Double(3));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->integer(), 97);
}

TEST(LibraryTest, FunctionsBelongToReleases) {
  const Environment old{.release = api::Release::k1_36};
  const Environment newest;
  EXPECT_EQ(FindBuiltin("startsWith", old)->cost, CostRule::kTenth);
  EXPECT_EQ(FindBuiltin("startsWith", newest)->cost, CostRule::kAffix);
  EXPECT_EQ(FindBuiltin("quantity", {.release = api::Release::k1_31})->cost, CostRule::kOne);
  EXPECT_EQ(FindBuiltin("semver", {.release = api::Release::k1_32})->cost, CostRule::kOne);
  EXPECT_EQ(FindBuiltin("no such function", newest), nullptr);
}

}  // namespace
}  // namespace dray::cel::library
