// SPDX-License-Identifier: Apache-2.0
#include "api/codec/json.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json_reader.h"
#include "api/resource_v1/claim.h"

namespace dray::api {
namespace {

const KindInfo& Claim() {
  return Reflected<resource_v1::ResourceClaim>::kKind;
}

std::string Again(const KindInfo& kind, std::string_view json, DecodeIssues* issues = nullptr) {
  const Result<Object> object = DecodeJson(kind, json, issues);
  return object ? ToJson(*object) : "error: " + object.error().message;
}

TEST(JsonDecode, KeepsWhatTheSchemaKnows) {
  const std::string claim =
      R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"a","creationTimestamp":"2026-01-02T03:04:05Z"},)"
      R"("spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":2}}],)"
      R"("config":[{"opaque":{"driver":"d.example","parameters":{"b":1,"a":[1.50,"\u003c"]}}}]}},"status":{}})";
  EXPECT_EQ(Again(Claim(), claim), claim);
}

TEST(JsonDecode, NamesUnknownAndDuplicateFieldsByPath) {
  DecodeIssues issues;
  Again(
      Claim(),
      R"({"zzz":1,"spec":{"devices":{"requests":[{"name":"a","name":"b","bogus":{}}]},"devices":{"config":[{"extra":null}]}}})",
      &issues);
  EXPECT_THAT(issues,
              ::testing::ElementsAre(R"(unknown field "zzz")",
                                     R"(duplicate field "spec.devices.requests[0].name")",
                                     R"(unknown field "spec.devices.requests[0].bogus")",
                                     R"(duplicate field "spec.devices")",
                                     R"(unknown field "spec.devices.config[0].extra")"));
}

TEST(JsonDecode, QuotesUnknownNames) {
  DecodeIssues issues;
  const Result<Object> object = DecodeJson(Claim(), R"({"a\"b\\cä\n":1})", &issues);
  ASSERT_TRUE(object.has_value());
  EXPECT_THAT(issues, ::testing::ElementsAre(R"(unknown field "a\"b\\cä\n")"));
}

struct BadCase {
  const char* json;
  const char* message;
};

constexpr BadCase kBad[] = {
    {"", "unexpected end of JSON input"},
    {"{", "unexpected end of JSON input"},
    {"{}}", "invalid character '}' after top-level value"},
    {"[]", "cannot unmarshal array"},
    {R"({"spec":[]})",
     "cannot unmarshal array into Go struct field ResourceClaim.spec of type ResourceClaimSpec"},
    {R"({"spec":{"devices":{"requests":[{"exactly":{"count":1.5}}]}}})",
     "cannot unmarshal number 1.5 into Go struct field "
     "ResourceClaim.spec.devices.requests[0].exactly.count of type int64"},
    {R"({"spec":{"devices":{"requests":[{"exactly":{"count":9223372036854775808}}]}}})",
     "cannot unmarshal number"},
    {R"({"metadata":{"labels":{"a":1}}})",
     "cannot unmarshal number into Go struct field ResourceClaim.metadata.labels.a of type string"},
    {"{\"metadata\":{\"name\":\"\xff\"}}", "invalid UTF-8"},
    {"{\"metadata\":{\"name\":\"a\n\"}}", "in string literal"},
    {R"({"metadata":{"name":"\q"}})", "in string escape code"},
    {R"({"metadata":{"generation":01}})", "invalid character '1'"},
    {R"({"kind":7})",
     "cannot unmarshal number into Go struct field ResourceClaim.kind of type string"},
};

TEST(JsonDecode, RefusesWithPathOrPosition) {
  for (const BadCase& bad : kBad) {
    const Result<Object> object = DecodeJson(Claim(), bad.json, nullptr);
    ASSERT_FALSE(object) << bad.json;
    EXPECT_EQ(object.error().reason, StatusReason::kBadRequest);
    EXPECT_THAT(object.error().message, ::testing::HasSubstr(bad.message)) << bad.json;
  }
}

TEST(JsonReader, StopsAtItsDepth) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  const std::string deepest = nested(JsonReader::kDepthMax);
  JsonReader reader(deepest);
  reader.Skip();
  EXPECT_TRUE(reader.Finish());
  const std::string deeper = nested(JsonReader::kDepthMax + 1);
  JsonReader strict(deeper);
  strict.Skip();
  EXPECT_TRUE(strict.failed());
}

TEST(JsonReader, ReadsEscapesAsGoDoes) {
  JsonReader reader(R"("\u00e9\ud83d\ude00\ud800x\n\/")");
  std::string text;
  reader.String(text);
  EXPECT_TRUE(reader.Finish());
  EXPECT_EQ(text, "é😀\xEF\xBF\xBDx\n/");
}

TEST(JsonReader, KeepsTheSourceOfSkippedValues) {
  JsonReader reader(R"(  {"a": [1, {"b":null}], "c":"}"}  )");
  EXPECT_EQ(reader.Skip(), R"({"a": [1, {"b":null}], "c":"}"})");
  EXPECT_TRUE(reader.Finish());
}

TEST(JsonEncode, EscapesAsUpstream) {
  std::string out;
  QuoteJson("<a&b>\"\\\n\t\x01\xE2\x80\xA8", out);
  EXPECT_EQ(out, R"("\u003ca\u0026b\u003e\"\\\n\t\u0001\u2028")");
}

TEST(JsonEncode, PrettyPrintsWithTwoSpaces) {
  EXPECT_EQ(PrettyJson(R"({"a":[1,{}],"b":{"c":":,"}})"),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": \":,\"\n  }\n}");
}

// Indentation by two spaces per level makes the output quadratic in the depth of lists.
TEST(JsonEncode, PrettyPrintsNothingThatBecomesTooLong) {
  const auto nested = [](size_t depth, size_t elements) {
    std::string json = std::string(depth, '[') + "1";
    for (size_t i = 1; i < elements; ++i) json += ",1";
    return json + std::string(depth, ']');
  };
  // So deep that `elements` lines make it as long as it may become, or one byte longer.
  const auto length = [&](size_t depth, size_t elements) {
    return depth * 2 + 2 * depth * (depth - 1) + elements * (2 * depth + 3) + 2 * (depth - 1);
  };
  constexpr size_t kElements = 1'000;
  size_t depth = 1;
  while (length(depth + 1, kElements) <=
         kIndentedMin + kIndentedPerByte * nested(depth + 1, kElements).size()) {
    ++depth;
  }
  EXPECT_GT(PrettyJson(nested(depth, kElements)).size(), nested(depth, kElements).size());
  EXPECT_EQ(PrettyJson(nested(depth + 1, kElements)), nested(depth + 1, kElements));
}

TEST(Schema, EveryStructHasFewFieldsWithDistinctNames) {
  for (const KindInfo* kind : BuiltinKinds()) {
    std::set<std::string_view> names;
    for (const Field& field : kind->type().fields)
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_EQ(kind->kind, kind->type().name);
  }
}

// Upstream's generated objects with every field set: reading and writing gives the same again.
TEST(JsonFixtures, RoundTripUpstreamsObjects) {
  const char* root =
      std::getenv("DRAY_SHARED");  // NOLINT(concurrency-mt-unsafe): before any thread
  const std::filesystem::path folder =
      std::filesystem::path(root != nullptr ? root : DRAY_SOURCE_DIR "/../shared") /
      "vectors/api/v1.37.0";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared vectors at " << folder;
  int compared = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".json" ||
        !file.path().filename().string().starts_with("resource.k8s.io.v1."))
      continue;
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    const Result<TypeMeta> meta = ReadTypeMeta(text.str());
    ASSERT_TRUE(meta) << file.path();
    const KindInfo* kind = Scheme().FindKind(meta->api_version, meta->kind);
    if (kind == nullptr) continue;
    DecodeIssues issues;
    const std::string again = Again(*kind, text.str(), &issues);
    EXPECT_THAT(issues, ::testing::IsEmpty()) << file.path();
    EXPECT_EQ(boost::json::parse(again), boost::json::parse(text.str())) << file.path();
    ++compared;
  }
  EXPECT_GE(compared, 2);
}

}  // namespace
}  // namespace dray::api
