// SPDX-License-Identifier: Apache-2.0
// Input that is broken, huge or made to be expensive: an error with its position, in little memory.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode_budget.h"
#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1beta1.h"
#include "base/text/text_scan.h"

namespace dray::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const KindInfo& ClaimKind() {
  return Reflected<resource_v1::ResourceClaim>::kKind;
}

std::string Refusal(const KindInfo& kind, std::string_view json) {
  DecodeIssues issues;
  const Result<Object> object = DecodeJson(kind, json, &issues);
  return object ? "" : object.error().message;
}

std::string YamlRefusal(std::string_view yaml) {
  const Result<YamlDocument> document = YamlToJson(yaml);
  return document ? "" : document.error().message;
}

constexpr size_t kHuge = 10U << 20U;

TEST(HostileJson, TenMegabytesOfBracketsStopAtTheDepth) {
  const std::string brackets(kHuge, '[');
  EXPECT_THAT(Refusal(ClaimKind(), brackets), HasSubstr("cannot unmarshal array"));
  const std::string inside = R"({"spec":{"devices":{"config":[{"opaque":{"parameters":)" + brackets;
  EXPECT_THAT(Refusal(ClaimKind(), inside), HasSubstr("line 1, column 10049: exceeded max depth"));
  EXPECT_THAT(Refusal(ClaimKind(), R"({"unknown":)" + brackets), HasSubstr("exceeded max depth"));
  EXPECT_THAT(YamlRefusal(brackets), HasSubstr("line 1: exceeded max depth of 500"));
}

TEST(HostileJson, EveryPrefixIsRefusedWithItsPosition) {
  const std::string whole =
      R"({"metadata":{"name":"a\u00e9é"},"spec":{"devices":{"requests":[{"exactly":{"count":-12}}]}}})";
  ASSERT_EQ(Refusal(ClaimKind(), whole), "");
  for (size_t size = 0; size < whole.size(); ++size) {
    // A copy without room behind it, for the sanitizer.
    const std::vector<char> prefix(whole.begin(),
                                   whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THAT(Refusal(ClaimKind(), {prefix.data(), size}), HasSubstr("line 1, column ")) << size;
  }
}

TEST(HostileJson, NumbersThatAreNone) {
  const auto count = [](std::string_view number) {
    return Refusal(
        ClaimKind(),
        fmt::format(R"({{"spec":{{"devices":{{"requests":[{{"exactly":{{"count":{}}}}}]}}}}}})",
                    number));
  };
  EXPECT_EQ(count("9223372036854775807"), "");
  for (const char* number : {"9223372036854775808", "1e400", "1.0"}) {
    EXPECT_THAT(count(number), HasSubstr(fmt::format("cannot unmarshal number {}", number)));
    EXPECT_THAT(count(number), HasSubstr("spec.devices.requests[0].exactly.count"));
  }
  for (const char* number : {"NaN", "Infinity", "-", "+1", "0x1", ".5", "1.", "1e"}) {
    EXPECT_THAT(count(number), HasSubstr("line 1, column ")) << number;
  }
}

TEST(HostileJson, BadUtf8IsNamedWhereverItStands) {
  for (const char* bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    // Behind so much text that it stands at each place of a block.
    for (size_t before = 0; before < 20; ++before) {
      const std::string text = std::string(before, 'x') + bad;
      EXPECT_EQ(Refusal(ClaimKind(), fmt::format(R"({{"metadata":{{"name":"{}"}}}})", text)),
                fmt::format("json: line 1, column {}: invalid UTF-8 in string", 22 + before));
      EXPECT_THAT(Refusal(ClaimKind(), fmt::format(R"({{"{}":1}})", text)),
                  HasSubstr("invalid UTF-8"));
    }
  }
}

TEST(HostileJson, DuplicatesAtDepthAreToldOnceEachAndNotForever) {
  std::string many = R"({"spec":{"devices":{"requests":[{"exactly":{"count":1,"count":2,"count":3)";
  for (size_t i = 0; i < 2 * kDecodeIssuesMax; ++i) many += fmt::format(R"(,"x{}":1)", i);
  many += "}}]}}}";
  DecodeIssues issues;
  const auto claim = DecodeJson(ClaimKind(), many, &issues);
  ASSERT_TRUE(claim);
  ASSERT_EQ(issues.size(), kDecodeIssuesMax);
  EXPECT_EQ(issues[0], R"(duplicate field "spec.devices.requests[0].exactly.count")");
  EXPECT_EQ(issues[1], R"(unknown field "spec.devices.requests[0].exactly.x0")");
  EXPECT_EQ(claim->As<resource_v1::ResourceClaim>().spec.devices.requests[0].exactly->count, 3);
}

// The decoder formats each issue to see whether it was reported already: up to 1 MiB plus two bytes
// for each byte of the document. After that it reports no new issues.
TEST(HostileJson, TheSameIssueIsWrittenOutUpToItsBudget) {
  size_t issue_bytes = 0;
  size_t size = 0;
  const auto tells_the_last = [&](size_t repetitions) {
    std::string json = R"({"spec":{"devices":[{"attributes":{")" + std::string(1000, 'k') + "\":{";
    for (size_t i = 0; i < repetitions; ++i) json += R"("x":0,)";
    json += R"("y":0}}}]}})";
    DecodeIssues issues;
    EXPECT_TRUE(DecodeJson(Reflected<resource_v1::ResourceSlice>::kKind, json, &issues));
    issue_bytes = issues.front().size();
    size = json.size();
    return issues.back().ends_with(".y\"");
  };
  size_t most = 1;
  size_t too_many = 1U << 14U;
  ASSERT_TRUE(tells_the_last(most));
  ASSERT_FALSE(tells_the_last(too_many));
  while (most + 1 < too_many) {
    const size_t middle = (most + too_many) / 2;
    (tells_the_last(middle) ? most : too_many) = middle;
  }
  ASSERT_FALSE(tells_the_last(too_many));
  const auto written = static_cast<double>(too_many * issue_bytes);
  const auto budget = static_cast<double>((size_t{1} << 20U) + 2 * size);
  EXPECT_NEAR(written / budget, 1, 0.01);
}

TEST(HostileJson, DuplicatesOfInlinedFieldsAndOfKeysInAnyOrder) {
  DecodeIssues issues;
  const char* text =
      R"({"kind":"Pod","kind":"Pod","metadata":{"labels":{"b":"1","a":"2","\u0062":"3","c":"4","a":"5"}},)"
      R"("spec":{"volumes":[{"emptyDir":{},"name":"v","emptyDir":{}},{"emptyDir":{}}]}})";
  const auto pod = DecodeJson(Reflected<core_v1::Pod>::kKind, text, &issues);
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_THAT(issues,
              ElementsAre(R"(duplicate field "kind")",
                          R"(duplicate field "metadata.labels.b")",
                          R"(duplicate field "metadata.labels.a")",
                          R"(duplicate field "spec.volumes[0].emptyDir")"));
  EXPECT_EQ(pod->metadata().labels, (Map<std::string>{{"a", "5"}, {"b", "3"}, {"c", "4"}}));
}

// A quadratic insertion would take minutes.
TEST(HostileJson, KeysFromLastToFirstAreSortedOnce) {
  constexpr size_t kKeys = 200'000;
  std::string text = R"({"metadata":{"labels":{)";
  for (size_t i = kKeys; i > 0; --i) text += fmt::format(R"("{:06}":""{})", i, i > 1 ? "," : "");
  const auto claim = DecodeJson(ClaimKind(), text + "}}}", nullptr);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->metadata().labels.size(), kKeys);
  EXPECT_EQ(claim->metadata().labels.begin()->first, "000001");
}

// More than the text around the elements of a list has; it is part of the budget as well.
constexpr size_t kTextAround = 64;

// Each three bytes make a container of hundreds.
TEST(HostileJson, ElementsTakeNoMoreMemoryThanTheBudget) {
  const auto containers = [](size_t count) {
    std::string text = R"({"spec":{"containers":[)";
    for (size_t i = 0; i < count; ++i) text += i == 0 ? "{}" : ",{}";
    return Refusal(Reflected<core_v1::Pod>::kKind, text + "]}}");
  };
  const size_t size = sizeof(core_v1::Container) - 3 * kDecodedBytesPerByte;
  const size_t most = kDecodedBytesMin / size;
  const size_t for_the_rest = kTextAround * kDecodedBytesPerByte / size + 1;
  EXPECT_EQ(containers(most), "");
  EXPECT_THAT(containers(most + for_the_rest), HasSubstr("takes too much memory when decoded"));
}

// The object in the other version and that in the stored one are held at the same time.
TEST(HostileJson, WhatIsConvertedHasHalfTheBudget) {
  const auto requests = [](const KindInfo& kind, size_t count) {
    std::string text = R"({"spec":{"devices":{"requests":[)";
    for (size_t i = 0; i < count; ++i) text += i == 0 ? "{}" : ",{}";
    return Refusal(kind, text + "]}}}");
  };
  const KindInfo& other = Reflected<resource_v1beta1::ResourceClaim>::kKind;
  static_assert(sizeof(resource_v1beta1::DeviceRequest) > 3 * kConvertedBytesPerByte);
  const size_t size = sizeof(resource_v1beta1::DeviceRequest) - 3 * kConvertedBytesPerByte;
  const size_t most = kDecodedBytesMin / size;
  const size_t for_the_rest = kTextAround * kConvertedBytesPerByte / size + 1;
  EXPECT_EQ(requests(other, most), "");
  EXPECT_THAT(requests(other, most + for_the_rest),
              HasSubstr("takes too much memory when decoded"));
  EXPECT_EQ(requests(Reflected<resource_v1::ResourceClaim>::kKind, most + for_the_rest), "");
}

TEST(HostileYaml, AliasesThatMultiplyAreStopped) {
  std::string laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (size_t i = 1; i < 10; ++i) {
    laughs += fmt::format("a{}: &a{} [", i, i);
    for (size_t j = 0; j < 9; ++j) laughs += fmt::format("{}*a{}", j == 0 ? "" : ", ", i - 1);
    laughs += "]\n";
  }
  EXPECT_NE(YamlRefusal(laughs), "");
}

// ------------------------------------------------------------------------------ looking at blocks

TEST(TextScan, FindsTheFirstSpecialByteWhereverItStands) {
  for (size_t size = 0; size < 40; ++size) {
    const std::string plain(size, 'x');
    const char* const end = plain.data() + size;
    EXPECT_EQ(FindEndOfPlain(plain.data(), end), end);
    EXPECT_EQ(FindEscaped(plain.data(), end), end);
    std::string copied(size, '?');
    EXPECT_TRUE(CopyUnlessEscaped(copied.data(), plain.data(), size));
    EXPECT_EQ(copied, plain);
    EXPECT_EQ(FindNonAscii(plain.data(), end), end);
    EXPECT_EQ(FindPlainEnd(plain.data(), end), nullptr);
    for (size_t at = 0; at < size; ++at) {
      for (const char c : std::string_view("\"\\\x1f\0\xff\x80<>&", 9)) {
        std::string text = plain;
        text[at] = c;
        if (at + 3 < size) text[at + 3] = '"';  // the first one counts
        const char* const begin = text.data();
        const auto found = [&](const char* where) { return static_cast<size_t>(where - begin); };
        const bool is_json_special = c != '<' && c != '>' && c != '&';
        if (is_json_special) EXPECT_EQ(found(FindEndOfPlain(begin, begin + size)), at);
        EXPECT_EQ(found(FindEscaped(begin, begin + size)), at);
        EXPECT_FALSE(CopyUnlessEscaped(copied.data(), begin, size));
        if (static_cast<signed char>(c) < 0)
          EXPECT_EQ(found(FindNonAscii(begin, begin + size)), at);
        if (c == '"') EXPECT_EQ(found(FindPlainEnd(begin, begin + size)), at);
        if (is_json_special && c != '"') EXPECT_EQ(FindPlainEnd(begin, begin + size), nullptr);
      }
    }
  }
}

}  // namespace
}  // namespace dray::api
