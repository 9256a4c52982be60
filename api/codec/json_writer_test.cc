// SPDX-License-Identifier: Apache-2.0
#include "api/codec/json_writer.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/namespace.h"

namespace dray::api {
namespace {

TEST(JsonWriter, WritesObjectsAndArraysInEachOther) {
  const std::string text = JsonText([](JsonWriter& json) {
    json.Object([&] {
      json.Member("none").Object([] {});
      json.Member("list").Array([&] {
        json.Array([] {});
        json.Object({{"group", "apps"}, {"count", 2}});
        json.Raw("[1.50]");
        json.Value(nullptr);
      });
      json.Member("names").ArrayOf(std::vector<std::string>{"a", "b"});
      json.Member("last", true);
    });
  });
  EXPECT_EQ(text,
            R"({"none":{},"list":[[],{"group":"apps","count":2},[1.50],null],)"
            R"("names":["a","b"],"last":true})");
}

TEST(JsonWriter, WritesScalars) {
  const std::string text = JsonText([](JsonWriter& json) {
    json.Array([&] {
      json.Value("<a>\n");
      json.Value(std::string_view("b"));
      json.Value(std::numeric_limits<int64_t>::min());
      json.Value(std::numeric_limits<uint64_t>::max());
      json.Value(-1);
      json.Value(false);
    });
  });
  EXPECT_EQ(text, R"(["\u003ca\u003e\n","b",-9223372036854775808,18446744073709551615,-1,false])");
}

TEST(JsonWriter, EscapesNames) {
  EXPECT_EQ(JsonText([](JsonWriter& json) { json.Object({{"\"", 1}}); }), R"({"\"":1})");
}

TEST(JsonWriter, PutsElementsOnLinesOfTheirOwn) {
  const auto lines = [](int count) {
    return JsonText([&](JsonWriter& json) {
      json.ArrayOfLines([&] {
        for (int i = 0; i < count; ++i) json.Value(i);
      });
    });
  };
  EXPECT_EQ(lines(0), "[]");
  EXPECT_EQ(lines(2), "[\n0,\n1]");
}

TEST(JsonWriter, WritesValuesThatOthersEncode) {
  const Object object = Object::Of(core_v1::Namespace{});
  const std::string text = JsonText(
      [&](JsonWriter& json) { json.Object([&] { EncodeJson(object, json.Member("object")); }); });
  EXPECT_EQ(text, R"({"object":)" + ToJson(object) + "}");
}

TEST(JsonWriter, GoesOnWhenItsTextWasTakenAway) {
  std::string out;
  JsonWriter json(out);
  std::string sent;
  json.Array([&] {
    for (int i = 0; i < 3; ++i) {
      json.Value(i);
      sent += out;
      out.clear();
    }
  });
  EXPECT_EQ(sent + out, "[0,1,2]");
}

TEST(JsonWriterDeathTest, RefusesWhatIsNoJson) {
  const auto write = [](auto&& steps) { JsonText([&](JsonWriter& json) { steps(json); }); };
  EXPECT_DEATH(write([](JsonWriter& json) { json.Member("a", 1); }), "");
  EXPECT_DEATH(write([](JsonWriter& json) {
                 json.Value(1);
                 json.Value(2);
               }),
               "");
  EXPECT_DEATH(write([](JsonWriter& json) { json.Object([&] { json.Value(1); }); }), "");
  EXPECT_DEATH(write([](JsonWriter& json) { json.Object([&] { json.Member("a"); }); }), "");
  EXPECT_DEATH(write([](JsonWriter& json) { json.Object([&] { json.Member("a").Member("b"); }); }),
               "");
  EXPECT_DEATH(write([](JsonWriter& json) { json.Array([&] { json.Member("a", 1); }); }), "");
}

}  // namespace
}  // namespace dray::api
