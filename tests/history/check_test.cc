// SPDX-License-Identifier: Apache-2.0
// Histories made by hand: one that keeps every guarantee, and for each guarantee one that breaks
// only that.
#include "tests/history/check.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/history_text.h"

namespace dray::history {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kHead = "dray-history 1\nfirst 1\n";

Report CheckText(std::string_view lines, const Limits& limits = {}) {
  const Result<History> history = ParseHistory(std::string(kHead) + std::string(lines));
  if (!history.has_value()) {
    ADD_FAILURE() << history.error().message;
    return {};
  }
  return Check(*history, limits);
}

std::set<std::string> PropertiesOf(const Report& report) {
  std::set<std::string> names;
  for (const Finding& finding : report.findings) names.emplace(PropertyName(finding.property));
  return names;
}

/// Three writes; a creation, an update, and a transaction of an update and a deletion.
constexpr std::string_view kWrites = R"(10 call 0 0 write if "/a" 0 put "/a" "a1"
12 done 10 at 2 item "/a" "a1" 2 2 1
14 call 1 0 write if "/b" 0 put "/b" "b1"
16 done 14 at 3 item "/b" "b1" 3 3 1
18 call 0 0 write if "/a" 2 if "/b" 3 put "/a" "a2" delete "/b"
22 done 18 at 4 item "/a" "a2" 2 4 2 item "/b" "b1" 3 4 1
)";

constexpr std::string_view kGoodWatch = R"(30 watch 2 0 "/" after 1 previous
31 events 30 created "/a" "a1" 2 2 1 through 2
32 events 30 created "/b" "b1" 3 3 1
33 events 30 updated "/a" "a2" 2 4 2 was "/a" "a1" 2 2 1 deleted "/b" "b1" 3 4 1 was "/b" "b1" 3 3 1 through 4
)";

std::string WithWrites(std::string_view lines) {
  return std::string(kWrites) + std::string(lines);
}

TEST(CheckHistory, WhatKeepsEveryPromiseIsSound) {
  const Report report = CheckText(WithWrites(std::string(kGoodWatch) +
                                             R"(40 call 3 0 get "/a" linearizable
41 seen 40 at 4 item "/a" "a2" 2 4 2
42 call 3 0 get "/b" linearizable
43 seen 42 at 4
44 call 3 0 list "/" exact 3
45 seen 44 at 3 item "/a" "a1" 2 2 1 item "/b" "b1" 3 3 1 count 2
46 call 3 0 list "/" exact 3 limit 1
47 seen 46 at 3 item "/a" "a1" 2 2 1 count 2
48 call 3 0 list "/" exact 3 from "/a\x00"
49 seen 48 at 3 item "/b" "b1" 3 3 1 count 1
50 call 3 0 write if "/a" 2 put "/a" "a3"
51 refused 50 at 4 item "/a" "a2" 2 4 2
52 call 3 0 write delete "/c"
53 done 52 at 4 none
54 call 3 0 write put "/d" "d1"
55 failed 54 "closing"
60 watch 2 0 "/b" after 2
61 events 60 created "/b" "b1" 3 3 1 through 3
62 error 60 "Expired"
)"));
  EXPECT_EQ(ToText(report), "sound\n");
}

struct Case {
  std::string_view name;
  std::string_view property;
  std::string lines;
  std::string_view says;  // a part of the finding
};

void PrintTo(const Case& a_case, std::ostream* out) {
  *out << a_case.name;
}

class CheckHistoryBroken : public ::testing::TestWithParam<Case> {};

TEST_P(CheckHistoryBroken, IsFoundByItsNameAlone) {
  const Case& a_case = GetParam();
  const Report report = CheckText(a_case.lines);
  EXPECT_EQ(PropertiesOf(report), std::set<std::string>{std::string(a_case.property)})
      << ToText(report);
  EXPECT_THAT(ToText(report), HasSubstr(std::string(a_case.says)));
  EXPECT_THAT(report.undecided, IsEmpty());
}

std::vector<Case> BrokenRecords() {
  return {
      {"MomentTwice",
       "history",
       "10 call 0 0 write put \"/a\" \"a1\"\n10 done 10 at 2\n",
       "moment 10 is taken"},
      {"AnswerBeforeTheCall",
       "history",
       "10 call 0 0 write put \"/a\" \"a1\"\n9 done 10 at 2\n",
       "returns before it is called"},
      {"AnswerToSomethingElse",
       "history",
       "10 call 0 0 write put \"/a\" \"a1\"\n12 seen 10 at 2\n",
       "answers a write with a state"},
      {"ReadThatIsDone",
       "history",
       "10 call 0 0 get \"/a\" linearizable\n12 done 10 at 2\n",
       "answers a read with a revision"},
      {"ReadThatIsRefused",
       "history",
       "10 call 0 0 get \"/a\" linearizable\n12 refused 10 at 2\n",
       "refuses a read"},
      {"AnswerInPart",
       "history",
       "10 call 0 0 write delete \"/a\" delete \"/b\"\n12 done 10 at 2 none\n",
       "tells 1 of 2 changes"},
      {"ResponseBeforeTheWatch",
       "history",
       "10 watch 0 0 \"/a\" after 1\n9 events 10 through 1\n",
       "receives at 9 what follows on 10"},
  };
}

std::vector<Case> BrokenOrders() {
  return {
      {"RevisionTwice",
       "revision-once",
       R"(10 call 0 0 write put "/a" "a1"
11 call 1 0 write put "/b" "b1"
12 done 10 at 2
13 done 11 at 2
)",
       "revision 2 was given to #10 write of client 0 (10 to 12): put /a=a1 and to #11"},
      {"WriteBeforeWhatWasTold",
       "real-time",
       R"(10 call 0 0 write put "/a" "a1"
12 done 10 at 3
14 call 1 0 write put "/b" "b1"
16 done 14 at 2
)",
       "#14 write of client 1 (14 to 16): put /b=b1 is at revision 2, but #10"},
      {"ReadOlderThanWhatWasTold",
       "real-time",
       WithWrites(
           "40 call 3 0 get \"/a\" linearizable\n41 seen 40 at 3 item \"/a\" \"a1\" 2 2 1\n"),
       "had told of revision 4"},
      {"LocalReadOlderThanItsServer",
       "real-time",
       WithWrites("40 call 3 0 get \"/a\" local\n41 seen 40 at 3 item \"/a\" \"a1\" 2 2 1\n"),
       "is at revision 3"},
      {"RefusedOfThePast",
       "real-time",
       WithWrites("40 call 3 0 write if \"/a\" 9 put \"/a\" \"a3\"\n"
                  "41 refused 40 at 3 item \"/a\" \"a1\" 2 2 1\n"),
       "is at revision 3"},
      {"ReadOlderThanAnEvent",
       "real-time",
       R"(10 call 0 0 write put "/a" "a1"
11 watch 1 0 "/" after 1
12 events 11 created "/a" "a1" 2 2 1
13 call 2 0 get "/a" linearizable
14 seen 13 at 1
15 done 10 at 2
)",
       R"(#11 watch of client 1 on "/" after 1 had told of revision 2)"},
  };
}

std::vector<Case> BrokenWrites() {
  return {
      {"AnswerWithAnotherVersion",
       "commit-answer",
       "10 call 0 0 write put \"/a\" \"a1\"\n12 done 10 at 2 item \"/a\" \"a1\" 2 2 7\n",
       "/a=a1@2 (created 2, version 7), but it is /a=a1@2 (created 2, version 1)"},
      {"AnswerWithAnotherRevision",
       "commit-answer",
       "10 call 0 0 write put \"/a\" \"a1\"\n12 done 10 at 2 item \"/a\" \"a1\" 3 3 1\n",
       "/a=a1@3"},
      {"DeletedWhatWasNot",
       "commit-answer",
       "10 call 0 0 write put \"/b\" \"b1\" delete \"/a\"\n"
       "12 done 10 at 2 item \"/b\" \"b1\" 2 2 1 item \"/a\" \"a1\" 1 2 1\n",
       "deleted was /a=a1"},
      {"ConditionDidNotHold",
       "conditions",
       WithWrites("40 call 3 0 write if \"/a\" 2 put \"/c\" \"c1\"\n41 done 40 at 5\n"),
       "says that at revision 4 /a@2, but it is /a=a2@4"},
      {"ConditionHeld",
       "conditions",
       WithWrites(
           "40 call 3 0 write if \"/b\" 0 put \"/c\" \"c1\"\n41 refused 40 at 4 absent \"/b\"\n"),
       "/b present, but it is /b absent"},
      {"OtherConditionsHeldNot",
       "conditions",
       WithWrites("40 call 3 0 write if \"/a\" 2 if \"/b\" 3 put \"/c\" \"c1\"\n"
                  "41 refused 40 at 4 absent \"/b\"\n"),
       "/a@2, but it is /a=a2@4"},
  };
}

std::vector<Case> BrokenReads() {
  return {
      {"ReadOfAnotherValue",
       "read",
       WithWrites("40 call 3 0 get \"/a\" exact 4\n41 seen 40 at 4 item \"/a\" \"a7\" 2 4 2\n"),
       "/a=a7@4 (created 2, version 2), but it is /a=a2@4 (created 2, version 2) since 4, by #18"},
      {"ReadOfWhatIsGone",
       "read",
       WithWrites("40 call 3 0 list \"/\" exact 4\n"
                  "41 seen 40 at 4 item \"/a\" \"a2\" 2 4 2 item \"/b\" \"b1\" 3 3 1\n"),
       "/b=b1@3"},
      {"ReadThatLacksAKey",
       "read",
       WithWrites("40 call 3 0 list \"/\" exact 3\n41 seen 40 at 3 item \"/b\" \"b1\" 3 3 1\n"),
       "/a absent, but it is /a=a1@2"},
      {"ReadOfHalfATransaction",
       "read",
       WithWrites("40 call 3 0 list \"/\" exact 4\n"
                  "41 seen 40 at 4 item \"/a\" \"a1\" 2 2 1\n"),
       "/a=a1@2"},
      {"ReadOfWhatNobodyWrote",
       "read",
       WithWrites("40 call 3 0 get \"/z\" exact 4\n41 seen 40 at 4 item \"/z\" \"z1\" 2 2 1\n"),
       "/z=z1@2 (created 2, version 1), but it is /z absent as at the beginning"},
      {"CountIsWrong",
       "read",
       WithWrites("40 call 3 0 list \"/\" exact 3 limit 1\n"
                  "41 seen 40 at 3 item \"/a\" \"a1\" 2 2 1 count 3\n"),
       "counts 3 keys, but there are 2"},
      {"ExactReadOfAnotherRevision",
       "read",
       WithWrites("40 call 3 0 get \"/a\" exact 2\n41 seen 40 at 3 item \"/a\" \"a1\" 2 2 1\n"),
       "was to be of revision 2 and is of 3"},
      {"ListOutOfOrder",
       "read",
       WithWrites("40 call 3 0 list \"/\" exact 3\n"
                  "41 seen 40 at 3 item \"/b\" \"b1\" 3 3 1 item \"/a\" \"a1\" 2 2 1\n"),
       "/a comes after /b"},
      {"ReadBackInTime",  // no answer has a revision, so only an order of the answers can show it
       "linearizable",
       WithWrites(
           "40 call 3 0 get \"/b\" linearizable\n41 seen 40 at 0\n"
           "42 call 3 0 get \"/b\" linearizable\n43 seen 42 at 0 item \"/b\" \"b1\" 3 3 1\n"),
       "none of these can be next: #42"},
  };
}

std::string WatchOf(std::string_view responses) {
  return WithWrites("30 watch 2 0 \"/\" after 1 previous\n" + std::string(responses));
}

constexpr std::string_view kFirst = "31 events 30 created \"/a\" \"a1\" 2 2 1\n";
constexpr std::string_view kSecond = "32 events 30 created \"/b\" \"b1\" 3 3 1\n";
constexpr std::string_view kThirdBegins =
    R"(33 events 30 updated "/a" "a2" 2 4 2 was "/a" "a1" 2 2 1)";
constexpr std::string_view kThirdEnds = R"( deleted "/b" "b1" 3 4 1 was "/b" "b1" 3 3 1)";

std::string Join(const std::vector<std::string_view>& parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

std::vector<Case> BrokenEvents() {
  return {
      {"EventOfNobody",
       "watch.committed",
       WatchOf(Join(
           {kFirst, "32 events 30 created \"/b\" \"b1\" 3 3 1 created \"/z\" \"z1\" 3 3 1\n"})),
       "event created /z=z1@3 (created 3, version 1), says that at revision 3 put /z=z1@3"},
      {"EventOfAnotherValue",
       "watch.committed",
       WatchOf("31 events 30 created \"/a\" \"a7\" 2 2 1\n"),
       "but it is /a=a1@2"},
      {"DeletionWithAnOldRevision",
       "watch.committed",
       R"(10 call 0 0 write put "/a" "a1"
12 done 10 at 2
14 call 0 0 write put "/b" "b1"
16 done 14 at 3
18 call 0 0 write delete "/a"
20 done 18 at 5
30 watch 2 0 "/a" after 3
31 events 30 deleted "/a" "a1" 2 4 1
)",
       "says that at revision 4 /a deleted"},
      {"VersionIsWrong",
       "watch.versions",
       WatchOf("31 events 30 created \"/a\" \"a1\" 2 2 2\n"),
       "version 2), but it is"},
      {"CreationCalledUpdate",
       "watch.creation",
       WithWrites("30 watch 2 0 \"/\" after 1\n31 events 30 updated \"/a\" \"a1\" 2 2 1\n"),
       "/a present, but it is /a absent"},
      {"UpdateCalledCreation",
       "watch.creation",
       WatchOf(
           Join({kFirst, kSecond, R"(33 events 30 created "/a" "a2" 2 4 2)", kThirdEnds, "\n"})),
       "/a absent, but it is /a=a1@2"},
      {"PreviousIsWrong",
       "watch.previous",
       WatchOf(Join({kFirst,
                     kSecond,
                     R"(33 events 30 updated "/a" "a2" 2 4 2 was "/a" "a0" 2 2 1)",
                     kThirdEnds,
                     "\n"})),
       "/a=a0@2"},
      {"PreviousIsMissing",
       "watch.previous",
       WatchOf(
           Join({kFirst, kSecond, R"(33 events 30 updated "/a" "a2" 2 4 2)", kThirdEnds, "\n"})),
       "comes without previous value"},
  };
}

std::vector<Case> BrokenSequences() {
  return {
      {"NotAskedFor",
       "watch.filtered",
       WithWrites("30 watch 2 0 \"/b\" after 1\n31 events 30 created \"/a\" \"a1\" 2 2 1\n"
                  "32 events 30 created \"/b\" \"b1\" 3 3 1\n"),
       "created /a=a1@2 (created 2, version 1) was not asked for"},
      {"OutOfOrder",
       "watch.ordered",
       WatchOf(Join({kSecond, "33 events 30 created \"/a\" \"a1\" 2 2 1\n"})),
       "of revision 2 comes after one of revision 3"},
      {"OutOfOrderInOneRevision",
       "watch.ordered",
       WatchOf(Join({kFirst,
                     kSecond,
                     "33 events 30",
                     kThirdEnds,
                     " updated \"/a\" \"a2\" 2 4 2 was \"/a\" \"a1\" 2 2 1\n"})),
       "in revision 4, /b comes before /a"},
      {"Twice",
       "watch.unique",
       WatchOf(Join({kFirst, kSecond, "33 events 30 created \"/b\" \"b1\" 3 3 1\n"})),
       "of revision 3 comes twice"},
      {"RevisionInTwoResponses",
       "watch.atomic",
       WatchOf(Join({kFirst, kSecond, kThirdBegins, "\n34 events 30", kThirdEnds, "\n"})),
       "the events of revision 4 come in two responses"},
      {"RevisionInPart",
       "watch.atomic",
       WatchOf(Join({kFirst, kSecond, kThirdBegins, "\n"})),
       "only a part of this revision was reported; missing is /b absent at revision 4"},
      {"GapBetweenEvents",
       "watch.reliable",
       WatchOf(Join({kFirst, kThirdBegins, kThirdEnds, "\n"})),
       "between two events is missing /b=b1@3 (created 3, version 1) at revision 3, by #14"},
      {"GapAtTheStart",
       "watch.resumable",
       WatchOf(Join({kSecond})),
       "between the start and the first event is missing /a=a1@2"},
      {"RepetitionAtTheStart",
       "watch.resumable",
       WithWrites("30 watch 2 0 \"/\" after 2\n31 events 30 created \"/a\" \"a1\" 2 2 1\n"
                  "32 events 30 created \"/b\" \"b1\" 3 3 1\n"),
       "of revision 2 comes again"},
      {"EventAfterItsBookmark",
       "watch.bookmarkable",
       WithWrites("29 watch 2 0 \"/\" after 1\n30 events 29 through 2\n"
                  "31 events 29 created \"/a\" \"a1\" 2 2 1\n"),
       "of revision 2 comes after the bookmark 2"},
      {"BookmarkTooEarly",
       "watch.bookmarkable",
       WatchOf(Join({kFirst, "35 events 30 through 3\n"})),
       "a bookmark says it is complete; missing is /b=b1@3"},
      {"BookmarkGoesBack",
       "watch.bookmarkable",
       WatchOf(Join({kFirst, kSecond, "35 events 30 through 2\n"})),
       "the bookmark 2 comes after revision 3"},
  };
}

std::vector<Case> AllBroken() {
  std::vector<Case> all;
  for (const auto& some : {BrokenRecords(),
                           BrokenOrders(),
                           BrokenWrites(),
                           BrokenReads(),
                           BrokenEvents(),
                           BrokenSequences()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All,
                         CheckHistoryBroken,
                         ::testing::ValuesIn(AllBroken()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(CheckHistory, EveryPropertyHasAHistoryThatBreaksIt) {
  std::set<std::string_view> broken;
  for (const Case& a_case : AllBroken()) broken.insert(a_case.property);
  EXPECT_EQ(broken.size(), kPropertyCount);
}

TEST(CheckHistory, AnotherServerMayLagBehindForLocalReads) {
  EXPECT_EQ(ToText(CheckText(WithWrites(
                "40 call 3 1 get \"/a\" local\n41 seen 40 at 3 item \"/a\" \"a1\" 2 2 1\n"))),
            "sound\n");
}

TEST(CheckHistory, RepetitionsOfOneMistakeAreOneFinding) {
  std::string lines(kWrites);
  for (int i = 40; i < 60; i += 2) {
    lines += std::to_string(i) + " call 3 0 get \"/a\" exact 4\n";
    lines += std::to_string(i + 1) + " seen " + std::to_string(i) + " at 4\n";
  }
  const Report report = CheckText(lines);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0].text, HasSubstr("; 9 more like it on /a"));
}

TEST(CheckHistory, FindingsAreLimited) {
  std::string lines;
  for (int i = 10; i < 60; i += 2) {
    lines += std::to_string(i) + R"( call 3 0 get "/k)" + std::to_string(i) + "\" exact 4\n";
    lines += std::to_string(i + 1) + " seen " + std::to_string(i) + R"( at 4 item "/k)" +
             std::to_string(i) + "\" \"v\" 2 2 1\n";
  }
  EXPECT_EQ(CheckText(lines, {.findings_max = 25}).findings.size(), 25U);
  EXPECT_EQ(CheckText(lines, {.findings_max = 24}).findings.size(), 24U);
}

}  // namespace
}  // namespace dray::history
