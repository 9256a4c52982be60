// SPDX-License-Identifier: Apache-2.0
// Work with the schema of a custom kind is linear in the object: reading, pruning, defaults,
// validation against an old object, list types, writing.
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/apiextensions_v1.h"
#include "api/codec/json.h"
#include "api/codec/tree_json.h"
#include "api/reflect.h"
#include "api/value/tree.h"
#include "custom/schema/defaults.h"
#include "custom/schema/list_rules.h"
#include "custom/schema/metadata.h"
#include "custom/schema/prune.h"
#include "custom/schema/schema.h"
#include "custom/schema/validate.h"
#include "tests/cost/bounds.h"
#include "tests/cost/forms.h"
#include "tests/cost/usage.h"

namespace dray::cost {
namespace {

using api::apiextensions_v1::JSONSchemaProps;

constexpr size_t kObjectBytes = kBodyBytes / 16;

constexpr std::string_view kObjectSchema = R"({"type":"object","properties":{
  "text":{"type":"string","pattern":"^([a-z]+[0-9]*)*$","maxLength":10000000},
  "numbers":{"type":"array","items":{"type":"integer","anyOf":[{"minimum":5},{"maximum":3},{"enum":[4]}]}},
  "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string","maxLength":3}},
  "map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
         "items":{"type":"object","required":["r"],"properties":{"k":{"type":"string"},"r":{"type":"string"},
                  "p":{"type":"string","default":"TCP"}}}},
  "free":{"x-kubernetes-preserve-unknown-fields":true},
  "open":{"type":"object","additionalProperties":true},
  "pods":{"type":"array","items":{"type":"object","x-kubernetes-embedded-resource":true,
          "x-kubernetes-preserve-unknown-fields":true}}}})";

struct ObjectCase {
  std::string_view name;
  std::function<std::string(size_t bytes)> object;
};

// Does a server's work for an object that replaces itself. Returns the bytes of the answer.
size_t PassThrough(const custom::schema::Schema& schema, std::string_view json) {
  const Result<api::Tree> read = api::ReadTree(json);
  EXPECT_TRUE(read.has_value());
  api::Tree object = *read;
  std::vector<std::string> unknown;
  custom::schema::Prune(object, schema, &unknown);
  custom::schema::CoerceEmbedded(object, schema, custom::schema::Malformed::kRefuse, &unknown);
  EXPECT_TRUE(custom::schema::ApplyDefaults(object, schema));
  std::vector<ErrorCause> found = custom::schema::Validate(object, &*read, schema);
  for (ErrorCause& cause : custom::schema::CheckLists(object, nullptr, schema)) {
    found.push_back(std::move(cause));
  }
  size_t bytes = api::ToJson(object).size();
  for (const ErrorCause& cause : found) bytes += cause.field.size() + cause.message.size();
  for (const std::string& path : unknown) bytes += path.size();
  return bytes;
}

TEST(SchemaCost, OfObjectsIsInProportion) {
  JSONSchemaProps props;
  ASSERT_TRUE(api::DecodeJson(api::TypeOf<JSONSchemaProps>(), kObjectSchema, &props, nullptr));
  const auto schema = custom::schema::CompileSchema(props);
  const ObjectCase cases[] = {
      {"unknown members", [](size_t n) { return Filled(n, "{", R"("x#":0)", "}"); }},
      {"members from last to first",
       [](size_t n) { return Filled(n, R"({"free":{"z":0,)", R"("z#":0,"a#":0)", "}}"); }},
      {"one name", [](size_t n) { return Filled(n, "{", R"("x":0)", "}"); }},
      {"empty lists", [](size_t n) { return Filled(n, R"({"free":[)", "[]", "]}"); }},
      {"small lists", [](size_t n) { return Filled(n, R"({"free":[)", "[0]", "]}"); }},
      {"small objects", [](size_t n) { return Filled(n, R"({"free":[)", R"({"":0})", "]}"); }},
      {"what is emptied",
       [](size_t n) { return Filled(n, R"({"open":{"a":[)", R"({"x":0})", "]}}"); }},
      {"one text", [](size_t n) { return Filled(n, R"({"text":")", "ab,", R"("})"); }},
      {"numbers that no alternative takes",
       [](size_t n) { return Filled(n, R"({"numbers":[)", "4.5", "]}"); }},
      {"alternatives", [](size_t n) { return Filled(n, R"({"numbers":[)", "4", "]}"); }},
      {"a set of one value", [](size_t n) { return Filled(n, R"({"set":[)", R"("a")", "]}"); }},
      {"a set of many", [](size_t n) { return Filled(n, R"({"set":[)", R"("a#")", "]}"); }},
      {"keys", [](size_t n) { return Filled(n, R"({"map":[)", R"({"k":"#"})", "]}"); }},
      {"one key", [](size_t n) { return Filled(n, R"({"map":[)", "{}", "]}"); }},
      {"embedded resources",
       [](size_t n) {
         return Filled(n, R"({"pods":[)", R"({"metadata":{"name":"a","x":1}})", "]}");
       }},
      {"unknown below a long name",
       [](size_t n) { return BelowLongKey(n, R"({"open":{)", R"("x#":0)", "}}"); }},
  };
  for (const ObjectCase& c : cases) {
    Growth growth{std::string(c.name)};
    for (const size_t size : {kObjectBytes / 4, kObjectBytes / 2, kObjectBytes}) {
      const std::string json = c.object(size);
      size_t answer = 0;
      const Usage usage = Measure([&] { answer = PassThrough(*schema, json); });
      growth.Add(json.size(), usage, answer);
    }
    EXPECT_EQ(growth.Complaint(), "");
  }
}

// A schema with many nodes, or many values in one.
TEST(SchemaCost, OfSchemasIsInProportion) {
  const std::function<std::string(size_t bytes)> schemas[] = {
      [](size_t n) {
        return Filled(n, R"({"type":"object","properties":{)", R"("x#":{"type":"string"})", "}}");
      },
      [](size_t n) { return Filled(n, R"({"type":"integer","enum":[)", "1#", "]}"); },
      [](size_t n) {
        return Filled(n, R"({"type":"object","anyOf":[)", R"({"required":["x#"]})", "]}");
      },
      [](size_t n) { return Filled(n, R"({"type":"object","required":[)", R"("x#")", "]}"); },
      [](size_t n) {
        return Filled(n,
                      R"({"type":"object","properties":{)",
                      R"("x#":{"type":"string","pattern":"\\pL{90}"})",
                      "}}");
      },
  };
  for (size_t i = 0; i < std::size(schemas); ++i) {
    Growth growth{fmt::format("schema {}", i)};
    for (const size_t size : {kObjectBytes / 4, kObjectBytes / 2, kObjectBytes}) {
      JSONSchemaProps props;
      ASSERT_TRUE(
          api::DecodeJson(api::TypeOf<JSONSchemaProps>(), schemas[i](size / 2), &props, nullptr));
      size_t answer = 0;
      const Usage usage = Measure([&] {
        const auto schema = custom::schema::CompileSchema(props);
        answer = PassThrough(*schema, R"({"x000001":"a"})");
      });
      growth.Add(size, usage, answer);
    }
    EXPECT_EQ(growth.Complaint(), "");
  }
}

}  // namespace
}  // namespace dray::cost
