// SPDX-License-Identifier: Apache-2.0
// Allowed and forbidden differences between a recorded answer and a new one.
#include "tests/rest/comparison.h"

#include <string>
#include <string_view>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::rest {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Compared(std::string_view recorded,
                                  std::string_view got,
                                  const Freedom& freedom = {}) {
  return Differences(json::parse(recorded), json::parse(got), freedom);
}

TEST(RestComparison, EqualUpToTheOrderOfMembers) {
  EXPECT_THAT(Compared(R"({"a":1,"b":[1,2]})", R"({"b":[1,2],"a":1})"), IsEmpty());
  EXPECT_THAT(Compared(R"({"a":1})", R"({"a":2})"), ElementsAre("/a: 2, expected 1"));
  EXPECT_THAT(Compared(R"({"a":1})", R"({"a":"1"})"), ElementsAre("/a: \"1\", expected 1"));
  EXPECT_THAT(Compared(R"({"b":[1,2]})", R"({"b":[2,1]})"), ::testing::SizeIs(2));
  EXPECT_THAT(Compared(R"({"b":[1]})", R"({"b":[]})"), ElementsAre("/b: 0 elements, expected 1"));
  EXPECT_THAT(Compared(R"({"a/b~":1})", "{}"), ElementsAre("/a~1b~0: missing"));
  EXPECT_THAT(Compared("{}", R"({"c":1})"), ElementsAre("/c: more than expected: 1"));
}

TEST(RestComparison, OfAFreePlaceTheTypeCounts) {
  const Freedom freedom = Freedom::Of(json::parse(R"({"volatile":["/a"]})").as_object());
  EXPECT_THAT(Compared(R"({"a":"x"})", R"({"a":"y"})", freedom), IsEmpty());
  EXPECT_THAT(Compared(R"({"a":"x"})", R"({"a":7})", freedom), ::testing::SizeIs(1));
  EXPECT_THAT(Compared(R"({"a":"x"})", "{}", freedom), ElementsAre("/a: missing"));
}

TEST(RestComparison, PatternsNameWhatDiffersInATextOfOnePlace) {
  const Freedom freedom = Freedom::Of(
      json::parse(R"({"patterns":[{"pointer":"/message","regex":"\\d+ ms"}]})").as_object());
  EXPECT_THAT(Compared(R"({"message":"took 5 ms"})", R"({"message":"took 70 ms"})", freedom),
              IsEmpty());
  EXPECT_THAT(Compared(R"({"message":"took 5 ms"})", R"({"message":"had 5 ms"})", freedom),
              ElementsAre(HasSubstr("had ~")));
  EXPECT_THAT(Compared(R"({"other":"5 ms"})", R"({"other":"6 ms"})", freedom),
              ::testing::SizeIs(1));
}

TEST(RestComparison, CausesAndManagersHaveNoOrder) {
  EXPECT_THAT(
      Compared(
          R"({"kind":"Status","message":"[a, b]","details":{"causes":[{"field":"a"},{"field":"b"}]}})",
          R"({"kind":"Status","message":"[b, a]","details":{"causes":[{"field":"b"},{"field":"a"}]}})"),
      IsEmpty());
  EXPECT_THAT(Compared(R"({"metadata":{"managedFields":[{"manager":"a"},{"manager":"b"}]}})",
                       R"({"metadata":{"managedFields":[{"manager":"b"},{"manager":"a"}]}})"),
              IsEmpty());
}

TEST(RestComparison, AgesInCellsAreFreeElsewhereTheyAreTexts) {
  EXPECT_THAT(
      Compared(R"({"rows":[{"cells":["a","0s"]}]})", R"({"rows":[{"cells":["a","2m3s"]}]})"),
      IsEmpty());
  EXPECT_THAT(
      Compared(R"({"rows":[{"cells":["a","0s"]}]})", R"({"rows":[{"cells":["a","<none>"]}]})"),
      ::testing::SizeIs(1));
  EXPECT_THAT(Compared(R"({"age":"0s"})", R"({"age":"1s"})"), ::testing::SizeIs(1));
}

TEST(RestComparison, TextsOfLibrariesAreFreeInMessages) {
  const std::string_view recorded = R"({"message":"json: cannot unmarshal string into Go value"})";
  EXPECT_THAT(Compared(recorded, R"({"message":"no object"})"), IsEmpty());
  EXPECT_THAT(Compared(R"({"reason":"json: cannot unmarshal"})", R"({"reason":"x"})"),
              ::testing::SizeIs(1));
}

TEST(RestComparison, WhereNothingIsMarkedUidsVersionsAndTimesAreFree) {
  const Freedom freedom{.pointers = {}, .patterns = {}, .marks_nothing = true};
  EXPECT_THAT(Compared(R"({"uid":"a","at":"2026-11-21T14:58:45Z","resourceVersion":"7"})",
                       R"({"uid":"b","at":"2027-01-01T00:00:00Z","resourceVersion":"8"})",
                       freedom),
              IsEmpty());
  EXPECT_THAT(Compared(R"({"name":"a"})", R"({"name":"b"})", freedom), ::testing::SizeIs(1));
}

TEST(RestComparison, AtMostAFewDifferencesAreTold) {
  EXPECT_THAT(Compared("[1,2,3,4,5]", "[0,0,0,0,0]"), ::testing::SizeIs(kDifferencesMax));
  EXPECT_THAT(Compared("[1,2,3,4]", "[0,0,0,0]"), ::testing::SizeIs(kDifferencesMax));
}

constexpr std::string_view kDocument = R"({"openapi":"3.0.0","paths":{"/a":{"get":{
  "operationId":"readA","description":"x","parameters":[{"name":"pretty"}],"responses":{"200":{}}}}},
  "components":{"schemas":{"p.A":{"x-kubernetes-group-version-kind":[{"group":"","version":"v1",
  "kind":"A"}],"properties":{"b":{"allOf":[{"$ref":"#/components/schemas/p.B"}]}}},
  "p.B":{"properties":{"c":{"type":"string","enum":["x"]}}}}}})";

std::string Replaced(std::string_view what, std::string_view with) {
  std::string text(kDocument);
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
  return text;
}

TEST(RestComparison, OfOpenApiCountsWhatClientsReadInIt) {
  EXPECT_THAT(Compared(kDocument, kDocument), IsEmpty());
  // Descriptions and names of schemas may differ.
  EXPECT_THAT(Compared(kDocument, Replaced("\"x\",\"p", "\"other\",\"p")), IsEmpty());
  EXPECT_THAT(Compared(kDocument, Replaced("p.B", "q.C")), IsEmpty());
  EXPECT_THAT(Compared(kDocument, Replaced("pretty", "plain")),
              ElementsAre("get /a: no parameter pretty"));
  EXPECT_THAT(Compared(kDocument, Replaced("readA", "readB")), ::testing::SizeIs(1));
  EXPECT_THAT(Compared(kDocument, Replaced("/a", "/b")), ElementsAre("/a: no such path"));
  EXPECT_THAT(Compared(kDocument, Replaced("[\"x\"]", "[\"y\"]")),
              ElementsAre(R"(/v1 A.b.c: enum is ["y"], expected ["x"])"));
  EXPECT_THAT(Compared(kDocument, Replaced("\"c\"", "\"d\"")),
              ElementsAre("/v1 A.b.c: no such property"));
}

TEST(RestComparison, HashesOfDocumentsAreFree) {
  const std::string_view index =
      R"({"paths":{"api":{"serverRelativeURL":"/openapi/v3/api?hash=A"}}})";
  EXPECT_THAT(
      Compared(index, R"({"paths":{"api":{"serverRelativeURL":"/openapi/v3/api?hash=B"}}})"),
      IsEmpty());
  EXPECT_THAT(Compared(index, R"({"paths":{}})"), ::testing::SizeIs(1));
  EXPECT_THAT(Compared(index, R"({"paths":{"api":{"serverRelativeURL":"/openapi/v3/api"}}})"),
              ::testing::SizeIs(1));
}

TEST(RestChosen, VariablesHaveTheLatestValueAndUnknownOnesSaySo) {
  Chosen chosen;
  chosen.Bind("uid", "recorded-uid", "uid-of-now");
  EXPECT_EQ(chosen.Fill("/a/${uid}/b/${other}"), "/a/uid-of-now/b/unbound");
  EXPECT_EQ(chosen.Fill("$HOME ${not a name}"), "$HOME ${not a name}");
  EXPECT_EQ(chosen.Now("it was recorded-uid"), "it was uid-of-now");
  chosen.Bind("uid", "recorded-uid", "a-later-one");
  EXPECT_EQ(chosen.Fill("${uid}"), "a-later-one");
}

TEST(RestChosen, NumbersAreReplacedWhereTheyStandAlone) {
  Chosen chosen;
  chosen.Bind("rv", "1234", "5");
  EXPECT_EQ(chosen.Now(R"({"resourceVersion":"1234","port":12345})"),
            R"({"resourceVersion":"5","port":12345})");
}

TEST(RestChosen, VersionsAreEqualWhenTheyWereAndElseDifferent) {
  Chosen chosen;
  EXPECT_TRUE(chosen.AgreesOnVersion("10", "3"));
  EXPECT_TRUE(chosen.AgreesOnVersion("10", "3"));
  EXPECT_FALSE(chosen.AgreesOnVersion("10", "4"));  // nothing was to be written
  EXPECT_FALSE(chosen.AgreesOnVersion("11", "3"));  // something was
}

}  // namespace
}  // namespace dray::rest
