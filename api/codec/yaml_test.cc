// SPDX-License-Identifier: Apache-2.0
#include "api/codec/yaml.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/codec/json_place.h"
#include "api/codec/json_reader.h"

namespace dray::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct YamlCase {
  std::string text, want;
};

void ExpectJson(const std::vector<YamlCase>& cases) {
  for (const YamlCase& c : cases) {
    const Result<YamlDocument> document = YamlToJson(c.text);
    ASSERT_TRUE(document.has_value()) << c.text << ": " << document.error().message;
    EXPECT_EQ(document->json, c.want) << c.text;
  }
}

void ExpectErrors(const std::vector<YamlCase>& cases) {
  for (const YamlCase& c : cases) {
    const Result<YamlDocument> document = YamlToJson(c.text);
    ASSERT_FALSE(document.has_value()) << c.text << " is " << document->json;
    EXPECT_EQ(document.error().message, c.want) << c.text;
  }
}

TEST(YamlScalars, PlainOnesMeanWhatTheGoLibrarySays) {
  const YamlCase scalars[] = {
      {"y", "true"},
      {"Yes", "true"},
      {"yES", "\"yES\""},
      {"on", "true"},
      {"OFF", "false"},
      {"n", "false"},
      {"~", "null"},
      {"Null", "null"},
      {"nULL", "\"nULL\""},
      {"0x1F", "31"},
      {"010", "8"},
      {"0o10", "8"},
      {"08", "8"},
      {"1_000", "1000"},
      {"_1", "\"_1\""},
      {"0b101", "5"},
      {"-0b101", "-5"},
      {"0b-101", "-5"},
      {"0b2", "\"0b2\""},
      {"1:30", "\"1:30\""},
      {"1e3", "1000"},
      {".5", "0.5"},
      {"5.", "5"},
      {"._5", "\"._5\""},
      {".1_5", "0.15"},
      {".", "\".\""},
      {"+", "\"+\""},
      {"+5", "5"},
      {"-0", "0"},
      {"-0.0", "-0"},
      {"1e400", "\"1e400\""},
      {"1e-400", "0"},
      {"9223372036854775808", "9223372036854775808"},
      {"18446744073709551616", "18446744073709552000"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-9223372036854775809", "-9223372036854776000"},
      {"1e21", "1e+21"},
      {"1e20", "100000000000000000000"},
      {"0.0000001", "1e-7"},
      {"0.000001", "0.000001"},
      {"1.2.3", "\"1.2.3\""},
      {"2001-01-01", "\"2001-01-01\""},
      {"<<", R"("\u003c\u003c")"},
      {"=", "\"=\""},
      {"1Gi", "\"1Gi\""},
      {"100m", "\"100m\""},
      {"!!str 5", "\"5\""},
      {"!!int \"5\"", "5"},
      {"!!float 5", "5"},
      {"!!bool yes", "true"},
      {"!!binary aGVsbG8=", "\"hello\""},
      {"!foo 5", "\"5\""},
      {"! 5", "\"5\""},
      {"!!timestamp 2001-01-01", "\"2001-01-01\""},
      {"\"5\"", "\"5\""},
      {"'yes'", "\"yes\""},
      {"", "null"},
      {"\"\"", "\"\""},
  };
  std::vector<YamlCase> cases;
  for (const YamlCase& c : scalars) cases.push_back({"k: " + c.text, "{\"k\":" + c.want + "}"});
  ExpectJson(cases);
  ExpectErrors({
      {"a: !!int abc", "yaml: cannot decode !!str `abc` as a !!int"},
      {"a: !!bool 1", "yaml: cannot decode !!int `1` as a !!bool"},
      {"a: !!null x", "yaml: cannot decode !!str `x` as a !!null"},
      {"a: !!binary \"!!\"", "yaml: !!binary value contains invalid base64 data"},
      {"a: .nan", "json: unsupported value: NaN"},
      {"a: -.inf", "json: unsupported value: -Inf"},
  });
}

TEST(YamlDocuments, BecomeJsonWithSortedKeys) {
  ExpectJson({
      {"", "null"},
      {"# only a comment\n", "null"},
      {"---\n", "null"},
      {"b: 1\na:\n- x\n- p: [1, {z: ~}]\n", R"({"a":["x",{"p":[1,{"z":null}]}],"b":1})"},
      {"a: 1\n---\nb: 2\n", R"({"a":1})"},
      {"a: 1\r\nb: 2\r\n", R"({"a":1,"b":2})"},
      {"\xef\xbb\xbf"
       "a: 1",
       R"({"a":1})"},
      {"a: |\n  x\n  y\nb: >-\n  x\n  y\n", R"({"a":"x\ny\n","b":"x y"})"},
      {R"({"a":1,"b":[true,null,1.5e3]})", R"({"a":1,"b":[true,null,1500]})"},
      {"1: a\ntrue: b\non: c\n1.5: d\n.inf: e\n0x10: f",
       R"({".inf":"e","1":"a","1.5":"d","16":"f","true":"c"})"},
      {R"(a: "\t\u00e9\x41")",
       R"({"a":"\té)"
       "A\"}"},
      {"? a\n: b", R"({"a":"b"})"},
  });
}

TEST(YamlDocuments, MistakesAreNamedAsKubectlDoes) {
  ExpectErrors({
      {"a: b: c", "yaml: mapping values are not allowed in this context"},
      {"a:\n  - b\n c: 1", "yaml: line 2: did not find expected key"},
      {"a:\n\tb: 1", "yaml: line 2: found character that cannot start any token"},
      {"a: [1, 2", "yaml: line 1: did not find expected ',' or ']'"},
      {"a: \"x", "yaml: found unexpected end of stream"},
      {"a: @b", "yaml: found character that cannot start any token"},
      {"a: *x", "yaml: unknown anchor 'x' referenced"},
      {"a: &x [*x]", "yaml: anchor 'x' value contains itself"},
      {std::string("a: \0x", 5), "yaml: control characters are not allowed"},
      {"a: \xff", "yaml: invalid leading UTF-8 octet"},
      {"x: {{foo}}",
       R"(yaml: invalid map key: map[interface {}]interface {}{"foo":interface {}(nil)})"},
      {"? [a]\n: b", R"(yaml: invalid map key: []interface {}{"a"})"},
      {"~: a", R"(unsupported map key of type: %!s(<nil>), key: <nil>, value: "a")"},
      {"c:\n  <<: 5", "yaml: map merge requires map or sequence of maps as the value"},
  });
}

TEST(YamlDocuments, DuplicateKeysAreToldAndTheLastCounts) {
  const Result<YamlDocument> document =
      YamlToJson("a: 1\nb:\n  c: 1\n  c: 2\na:\n  x\n\"1\": x\n1: y\n");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->json, R"({"1":"x","a":"x","b":{"c":2}})");
  EXPECT_THAT(
      document->duplicates,
      ElementsAre("line 4: key \"c\" already set in map", "line 6: key \"a\" already set in map"));
  EXPECT_EQ(DuplicateKeysMessage(document->duplicates),
            "yaml: unmarshal errors:\n  line 4: key \"c\" already set in map\n  line 6: key \"a\" "
            "already set in map");
}

TEST(YamlAliases, AreFollowedAndMerged) {
  ExpectJson({
      {"a: &x {p: 1}\nb: *x", R"({"a":{"p":1},"b":{"p":1}})"},
      {"b: &b {x: 1, p: 2}\na:\n  <<: *b\n  x: 3", R"({"a":{"p":2,"x":3},"b":{"p":2,"x":1}})"},
      {"b: &b {x: 1, p: 2}\na:\n  x: 3\n  <<: *b", R"({"a":{"p":2,"x":1},"b":{"p":2,"x":1}})"},
      {"a: &a {x: 1}\nb: &b {x: 2, z: 1}\nc:\n  <<: [*a, *b]",
       R"({"a":{"x":1},"b":{"x":2,"z":1},"c":{"x":1,"z":1}})"},
      {"a: &k b\n*k : c", R"({"a":"b","b":"c"})"},
      {"\"<<\": 1", R"({"\u003c\u003c":1})"},
  });
}

TEST(YamlLimits, AliasesMustNotExplode) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'i'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i)
      bomb += (i > 0 ? ",*" : "*") + std::string(1, static_cast<char>(c - 1));
    bomb += "]\n";
  }
  ExpectErrors({{bomb, "yaml: document contains excessive aliasing"}});
  // Few values, but large ones.
  std::string large = "a: &a " + std::string(kYamlJsonMax / 10, 'x') + "\nb: [";
  for (int i = 0; i < 9; ++i) large += i > 0 ? ",*a" : "*a";
  EXPECT_FALSE(YamlToJson(large + "]").has_value()) << "quotes count";
  large = "a: &a " + std::string(kYamlJsonMax / 10 - 2, 'x') + "\nb: [";
  for (int i = 0; i < 9; ++i) large += i > 0 ? ",*a" : "*a";
  EXPECT_TRUE(YamlToJson(large + "]").has_value());
}

// A key that is an alias makes as much out of as little as a value does.
TEST(YamlLimits, KeysMustNotExplode) {
  const auto text = [](size_t key, size_t uses) {
    std::string yaml = "a: &a " + std::string(key, 'k') + "\nb: [";
    for (size_t i = 0; i < uses; ++i) yaml += i > 0 ? ",{*a : 1}" : "{*a : 1}";
    return yaml + "]\n#";
  };
  constexpr size_t kUses = 100;
  // So long that exactly as much is written as a text may expand to.
  size_t key = 50'000;
  const auto written = [&] { return 2 + key + 2 + kUses * (key + 1); };
  const auto missing = [&] {
    return written() - kYamlExpandedMin - kYamlExpandedPerByte * text(key, kUses).size();
  };
  while (missing() % kYamlExpandedPerByte != 0) ++key;
  const std::string comment(missing() / kYamlExpandedPerByte, '#');
  const std::string fits = text(key, kUses) + comment;
  EXPECT_TRUE(YamlToJson(fits).has_value());
  ExpectErrors({{fits.substr(0, fits.size() - 1),
                 fmt::format("yaml: document expands to more than {} bytes",
                             written() - kYamlExpandedPerByte)}});
}

TEST(YamlLimits, DuplicatesAreToldUpToTheirLimit) {
  for (const size_t count : {kDecodeIssuesMax, kDecodeIssuesMax + 1}) {
    std::string text = "{a: 1";
    for (size_t i = 0; i < count; ++i) text += ", a: 1";
    const Result<YamlDocument> document = YamlToJson(text + "}");
    ASSERT_TRUE(document.has_value());
    EXPECT_EQ(document->duplicates.size(), kDecodeIssuesMax);
  }
  const std::string key(kPlaceNameMax, 'k');
  const Result<YamlDocument> document = YamlToJson("? " + key + "\n: 1\n? " + key + "\n: 2\n");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->duplicates[0], "line 4: key \"" + key.substr(1) + "… already set in map");
}

// Each line of a text is indented as deeply as it lies.
TEST(YamlLimits, IndentationMustNotExplode) {
  const auto nested = [](size_t depth, size_t lines) {
    std::string text;
    for (size_t i = 0; i < lines; ++i) text += "a\\n";
    std::string json;
    for (size_t i = 0; i < depth; ++i) json += "{\"a\":";
    return json + "\"" + text + "\"" + std::string(depth, '}');
  };
  EXPECT_TRUE(JsonToYaml(nested(400, 1'000)).has_value());
  const Result<std::string> long_text = JsonToYaml(nested(400, 10'000));
  ASSERT_FALSE(long_text.has_value());
  EXPECT_EQ(long_text.error().message, "yaml: the text becomes too long by its indentation");
  // Each element on a line of its own.
  const auto list = [](size_t elements) {
    std::string json = std::string(400, '[') + "1";
    for (size_t i = 1; i < elements; ++i) json += ",1";
    return json + std::string(400, ']');
  };
  EXPECT_TRUE(JsonToYaml(list(1'000)).has_value());
  EXPECT_FALSE(JsonToYaml(list(2'000)).has_value());
}

TEST(YamlLimits, Depth) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(YamlToJson(nested(kYamlDepthMax)).has_value());
  ExpectErrors({{nested(kYamlDepthMax + 1), "yaml: line 1: exceeded max depth of 500"}});
  // Depth through aliases: each item of the list is one level deeper than the one before.
  const auto chain = [](size_t links) {
    std::string text = "- &a0 []\n";
    for (size_t i = 1; i < links; ++i) {
      text += "- &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
    }
    return text;
  };
  EXPECT_TRUE(YamlToJson(chain(100)).has_value());
  const Result<YamlDocument> deep = YamlToJson(chain(kYamlDepthMax + 1));
  ASSERT_FALSE(deep.has_value());
  EXPECT_EQ(JsonToYaml(nested(kYamlDepthMax)).has_value(), true);
  EXPECT_EQ(JsonToYaml(nested(kYamlDepthMax + 2)).has_value(), false);
}

TEST(YamlLimits, SizeNumberOfValuesAndOfDocuments) {
  EXPECT_THAT(YamlToJson(std::string(kYamlTextMax + 1, ' ')).error().message,
              HasSubstr("text is longer than"));
  EXPECT_TRUE(YamlToJson(std::string(kYamlTextMax, '\n')).has_value());
  std::string many = "[";
  for (size_t i = 1; i < kYamlNodesMax; ++i) many += "1,";
  EXPECT_TRUE(YamlToJson(many + "]").has_value());
  EXPECT_THAT(YamlToJson(many + "1]").error().message, HasSubstr("more than 4000000 values"));
  std::string documents;
  for (size_t i = 0; i < kYamlDocumentsMax; ++i) documents += "a\n---\n";
  EXPECT_EQ(SplitYaml(documents)->size(), kYamlDocumentsMax);
  EXPECT_FALSE(SplitYaml(documents + "a\n---\n").has_value());
}

TEST(YamlSplit, CutsAtDashesAndKnowsTheLines) {
  const auto split = [](std::string_view text) {
    std::vector<std::string> parts;
    for (const YamlChunk& chunk : SplitYaml(text).value()) {
      parts.push_back(std::to_string(chunk.first_line) + ":" + std::string(chunk.text));
    }
    return parts;
  };
  EXPECT_THAT(split(""), IsEmpty());
  EXPECT_THAT(split("a"), ElementsAre("1:a"));
  EXPECT_THAT(split("---\na\n---\n---   # c\nb\n c: ---\n---"),
              ElementsAre("2:a\n", "5:b\n c: ---\n"));
  EXPECT_THAT(split("# c\n---\r\na: 1\r\n"), ElementsAre("1:# c\n", "3:a: 1\r\n"));
  EXPECT_EQ(SplitYaml("a\n--- b\n").error().message, "invalid Yaml document separator: b");
}

TEST(YamlLines, FieldsAreFoundWhereTheyStand) {
  const YamlOptions options = {.first_line = 10, .with_lines = true};
  const Result<YamlDocument> document = YamlToJson(
      "kind: A\nspec:\n  devices:\n  - name: x\n    attributes:\n      a.b/c:\n        string: s\n "
      " - {name: y}\n",
      options);
  ASSERT_TRUE(document.has_value());
  const YamlCase cases[] = {
      {"", "10"},
      {"kind", "10"},
      {"spec", "11"},
      {"spec.devices", "12"},
      {"spec.devices[0]", "13"},
      {"spec.devices[0].name", "13"},
      {"spec.devices[0].attributes[a.b/c].string", "16"},
      {"spec.devices[0].attributes[none].string", "14"},
      {"spec.devices[1].name", "17"},
      {"spec.devices[7]", "12"},
      {"status.x", "10"},
      {"spec.devices[", "12"},
  };
  for (const YamlCase& c : cases)
    EXPECT_EQ(std::to_string(document->lines.LineOf(c.text)), c.want) << c.text;
}

TEST(YamlWriter, QuotesWhatWouldBeReadAsSomethingElse) {
  const std::string quoted[] = {"yes",
                                "y",
                                "true",
                                "null",
                                "~",
                                "5",
                                "1.5",
                                "1e3",
                                "0x1F",
                                "010",
                                "1_000",
                                "1:30",
                                "12:30:45",
                                "2001-01-01",
                                ".inf",
                                ".5",
                                "2026-01-02T03:04:05Z"};
  for (const std::string& text : quoted) {
    EXPECT_EQ(JsonToYaml("{\"k\":\"" + text + "\"}").value(), "k: \"" + text + "\"\n");
  }
  const std::string single[] = {
      "- a", "a: b", "#a", "@a", "!a", "&a", "*a", "? a", "[a", "{a", " a", "a ", "a:"};
  for (const std::string& text : single) {
    EXPECT_EQ(JsonToYaml("{\"k\":\"" + text + "\"}").value(), "k: '" + text + "'\n");
  }
  const std::string plain[] = {
      "a", "a:b", "a#b", "it's", "1Gi", "100m", "v1.2", "1.2.3", "=", "a b", "é", "-a", "nan"};
  for (const std::string& text : plain) {
    EXPECT_EQ(JsonToYaml("{\"k\":\"" + text + "\"}").value(), "k: " + text + "\n");
  }
}

TEST(YamlWriter, WritesBlocksInTheOrderGiven) {
  const YamlCase cases[] = {
      {"{}", "{}\n"},
      {"null", "null\n"},
      {R"({"b":{},"a":[],"n":null,"t":true})", "b: {}\na: []\n\"n\": null\nt: true\n"},
      {R"({"a":{"b":[1,{"c":2,"d":[3]}]}})", "a:\n  b:\n  - 1\n  - c: 2\n    d:\n    - 3\n"},
      {R"([[1,2],[{"a":1}]])", "- - 1\n  - 2\n- - a: 1\n"},
      {R"({"a":"x\ny\n","b":"x\n\n"})", "a: |\n  x\n  y\nb: |+\n  x\n\n"},
      {R"({"a":"x\ny"})", "a: |-\n  x\n  y\n"},
      {R"({"a":"x \ny"})", "a: \"x \\ny\"\n"},
      {R"({"a":1e6,"b":1.0,"c":0.1,"d":18446744073709551615,"e":-0.0})",
       "a: 1e+06\nb: 1\nc: 0.1\nd: 18446744073709551615\ne: -0\n"},
      {R"({"a":"\u0007"})", "a: \"\\a\"\n"},
  };
  for (const YamlCase& c : cases) {
    const Result<std::string> yaml = JsonToYaml(c.text);
    ASSERT_TRUE(yaml.has_value()) << c.text << ": " << yaml.error().message;
    EXPECT_EQ(*yaml, c.want) << c.text;
  }
  EXPECT_FALSE(JsonToYaml("{").has_value());
  EXPECT_FALSE(JsonToYaml("1 2").has_value());
}

TEST(YamlProperty, WhatIsWrittenIsReadBack) {
  const std::vector<std::string> pieces = {
      "",  " ", "a", "b: c", "- ", "#",   "'",   "\\\"",    "\\n",     "\\t", "yes",
      "5", "é", "{", "]",    ":",  "---", "...", "\\u2028", "\\u0085", "|",   "~"};
  for (const std::string& a : pieces) {
    for (const std::string& b : pieces) {
      for (const std::string& c : pieces) {
        const std::string json = fmt::format(R"({{"k":"{}{}{}","l":["{}{}"]}})", a, b, c, c, a);
        const Result<std::string> yaml = JsonToYaml(json);
        ASSERT_TRUE(yaml.has_value()) << json;
        const Result<YamlDocument> back = YamlToJson(*yaml);
        ASSERT_TRUE(back.has_value()) << *yaml;
        std::string want;
        std::string got;
        std::string key;
        JsonReader given(json);
        JsonReader read(back->json);
        given.EnterObject();
        read.EnterObject();
        while (given.NextKey(key) && read.NextKey(key) && key == "k") {
          given.String(want);
          read.String(got);
          EXPECT_EQ(got, want) << *yaml;
          break;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dray::api
