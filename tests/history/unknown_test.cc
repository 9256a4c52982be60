// SPDX-License-Identifier: Apache-2.0
// Writes with unknown outcomes: each may have happened once, or not, and the other answers must
// fit.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "tests/history/check.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/history_text.h"

namespace dray::history {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Verdict(std::string_view lines, const Limits& limits = {}) {
  const Result<History> history = ParseHistory("dray-history 1\nfirst 1\n" + std::string(lines));
  if (!history.has_value()) return history.error().message;
  return ToText(Check(*history, limits));
}

constexpr std::string_view kUnknownPut =
    "10 call 0 0 write if \"/a\" 0 put \"/a\" \"a1\"\n"
    "12 unknown 10 \"Timeout\"\n";

TEST(UnknownOutcome, MayHaveHappened) {
  EXPECT_EQ(Verdict(std::string(kUnknownPut) + "20 call 1 0 get \"/a\" linearizable\n"
                                               "21 seen 20 at 2 item \"/a\" \"a1\" 2 2 1\n"),
            "sound\n");
}

TEST(UnknownOutcome, MayNotHaveHappened) {
  EXPECT_EQ(
      Verdict(std::string(kUnknownPut) + "20 call 1 0 get \"/a\" linearizable\n21 seen 20 at 1\n"),
      "sound\n");
}

TEST(UnknownOutcome, MayHappenLater) {
  EXPECT_EQ(Verdict(std::string(kUnknownPut) +
                    "20 call 1 0 get \"/a\" linearizable\n21 seen 20 at 1\n"
                    "22 watch 1 0 \"/\" after 1\n23 events 22 created \"/a\" \"a1\" 2 2 1\n"),
            "sound\n");
}

TEST(UnknownOutcome, HappensAtMostOnce) {
  EXPECT_THAT(Verdict(std::string(kUnknownPut) +
                      "20 watch 1 0 \"/\" after 1\n"
                      "21 events 20 created \"/a\" \"a1\" 2 2 1 updated \"/a\" \"a1\" 2 3 2\n"),
              HasSubstr("watch.committed: #20 watch of client 1"));
}

TEST(UnknownOutcome, DoesNotHappenBeforeItWasAsked) {
  EXPECT_THAT(Verdict("20 watch 1 0 \"/\" after 1\n21 events 20 created \"/a\" \"a1\" 2 2 1\n"
                      "30 call 0 0 write put \"/a\" \"a1\"\n32 unknown 30 \"Timeout\"\n"),
              HasSubstr("watch.committed"));
}

TEST(UnknownOutcome, HappensOnlyWhenItsConditionsHold) {
  EXPECT_THAT(
      Verdict("5 call 0 0 write put \"/a\" \"a0\"\n6 done 5 at 2\n" + std::string(kUnknownPut) +
              "20 watch 1 0 \"/\" after 2\n21 events 20 updated \"/a\" \"a1\" 2 3 2\n"),
      HasSubstr("watch.committed"));
}

TEST(UnknownOutcome, HappensAsAWhole) {
  const std::string txn =
      "10 call 0 0 write put \"/a\" \"a1\" put \"/b\" \"b1\"\n12 unknown 10 \"Timeout\"\n";
  const std::string read = "20 call 1 0 list \"/\" linearizable\n21 seen 20 at 2 ";
  EXPECT_EQ(Verdict(txn + read + "item \"/a\" \"a1\" 2 2 1 item \"/b\" \"b1\" 2 2 1\n"), "sound\n");
  EXPECT_THAT(Verdict(txn + read + "item \"/a\" \"a1\" 2 2 1\n"), HasSubstr("read: #20 list"));
}

TEST(UnknownOutcome, SeveralAreToldApartByWhatFollows) {
  // Both may have made revision 2; that /b is there at 4 decides.
  EXPECT_EQ(
      Verdict("10 call 0 0 write delete \"/a\"\n"
              "11 call 1 0 write delete \"/a\" put \"/b\" \"b1\"\n"
              "5 call 3 0 write put \"/a\" \"a0\"\n6 done 5 at 2\n"
              "20 call 2 0 write put \"/a\" \"a1\"\n22 done 20 at 4 item \"/a\" \"a1\" 4 4 1\n"
              "30 call 2 0 get \"/b\" linearizable\n31 seen 30 at 4 item \"/b\" \"b1\" 3 3 1\n"),
      "sound\n");
}

TEST(UnknownOutcome, ADeletionNobodySawIsFoundByWhatIsMissing) {
  EXPECT_EQ(Verdict("5 call 3 0 write put \"/a\" \"a0\"\n6 done 5 at 2\n"
                    "10 call 0 0 write delete \"/a\"\n"
                    "20 call 2 0 write put \"/b\" \"b1\"\n22 done 20 at 4\n"
                    "30 call 2 0 get \"/a\" linearizable\n31 seen 30 at 4\n"),
            "sound\n");
}

TEST(UnknownOutcome, ADeletionNeedsARevisionOfItsOwn) {
  EXPECT_THAT(Verdict("5 call 3 0 write put \"/a\" \"a0\"\n6 done 5 at 2\n"
                      "10 call 0 0 write delete \"/a\"\n"
                      "20 call 2 0 write put \"/b\" \"b1\"\n22 done 20 at 3\n"
                      "30 call 2 0 get \"/a\" linearizable\n31 seen 30 at 3\n"),
              HasSubstr("read: #30 get of client 2 (30 to 31): get /a says that at revision 3 /a "
                        "absent"));
}

TEST(UnknownOutcome, AHiddenUpdateIsFoundByTheVersion) {
  EXPECT_EQ(
      Verdict("5 call 3 0 write put \"/a\" \"a0\"\n6 done 5 at 2\n"
              "10 call 0 0 write put \"/a\" \"a1\"\n"
              "20 call 2 0 write put \"/a\" \"a2\"\n22 done 20 at 4 item \"/a\" \"a2\" 2 4 3\n"),
      "sound\n");
}

TEST(UnknownOutcome, WhereAWatchSawNothingItDidNotHappen) {
  EXPECT_THAT(Verdict("5 call 3 0 write put \"/a\" \"a0\"\n6 done 5 at 2\n"
                      "10 call 0 0 write delete \"/a\"\n"
                      "30 call 2 0 get \"/a\" linearizable\n31 seen 30 at 3\n"
                      "40 watch 1 0 \"/\" after 2\n41 events 40 through 3\n"),
              HasSubstr("watch.bookmarkable: #40"));
}

TEST(UnknownOutcome, OfSeveralPlacesTheOneThatNoWatchDeniesIsTaken) {
  EXPECT_EQ(Verdict("5 call 3 0 write put \"/a\" \"a0\"\n6 done 5 at 2\n"
                    "10 call 0 0 write delete \"/a\"\n"
                    "30 call 2 0 get \"/a\" linearizable\n31 seen 30 at 5\n"
                    "40 watch 1 0 \"/\" after 2\n41 events 40 through 3\n"
                    "42 watch 1 0 \"/\" after 4\n43 events 42 through 5\n"),
            "sound\n");
}

TEST(UnknownOutcome, WhatIsLeftOpenMayBeCountedOrNot) {
  const auto verdict = [](int count) {
    return Verdict(
        "5 call 3 0 write put \"/a\" \"a0\" put \"/b\" \"b0\"\n6 done 5 at 2\n"
        "10 call 0 0 write delete \"/b\"\n"
        "30 call 2 0 list \"/\" linearizable limit 1\n"
        "31 seen 30 at 3 item \"/a\" \"a0\" 2 2 1 count " +
        std::to_string(count) + "\n");
  };
  EXPECT_EQ(verdict(1), "sound\n");
  EXPECT_EQ(verdict(2), "sound\n");
  EXPECT_THAT(verdict(0), HasSubstr("counts 0 keys"));
  EXPECT_THAT(verdict(3), HasSubstr("counts 3 keys"));
}

TEST(UnknownOutcome, ExpiryNeedsNoWriter) {
  const std::string put =
      "5 call 3 0 write expiring \"/a\" \"a0\" put \"/b\" \"b0\"\n6 done 5 at 2\n";
  const std::string watch = "40 watch 1 0 \"/\" after 2\n41 events 40 deleted ";
  EXPECT_EQ(Verdict(put + watch + "\"/a\" \"a0\" 2 3 1\n"), "sound\n");
  EXPECT_THAT(Verdict(put + watch + "\"/b\" \"b0\" 2 3 1\n"), HasSubstr("watch.committed"));
}

TEST(UnknownOutcome, ThingsExpireTogether) {
  EXPECT_EQ(
      Verdict("5 call 3 0 write expiring \"/a\" \"a0\" expiring \"/b\" \"b0\"\n6 done 5 at 2\n"
              "40 watch 1 0 \"/\" after 2\n"
              "41 events 40 deleted \"/a\" \"a0\" 2 3 1 deleted \"/b\" \"b0\" 2 3 1\n"),
      "sound\n");
}

TEST(UnknownOutcome, WhatWasPutAgainDoesNotExpire) {
  EXPECT_THAT(Verdict("5 call 3 0 write expiring \"/a\" \"a0\"\n6 done 5 at 2\n"
                      "7 call 3 0 write put \"/a\" \"a1\"\n8 done 7 at 3\n"
                      "40 watch 1 0 \"/\" after 3\n41 events 40 deleted \"/a\" \"a1\" 2 4 2\n"),
              HasSubstr("watch.committed"));
}

/// `count` puts of one value with unknown outcome, and a read of more versions than there can be.
std::string Hopeless(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i)
    lines += std::to_string(10 + i) + " call 0 0 write put \"/a\" \"v\"\n";
  return lines +
         "9000 call 0 0 list \"/\" linearizable\n9001 seen 9000 at 400 item \"/a\" \"v\" 5 60 99 "
         "count 7\n";
}

TEST(UnknownOutcome, TooManyArrangementsAreUndecided) {
  const std::string verdict = Verdict(Hopeless(12), {.steps_max = 50});
  EXPECT_THAT(
      verdict,
      HasSubstr("undecided: 12 writes have an unknown outcome, and 50 arrangements of them"));
  EXPECT_THAT(verdict, HasSubstr("the best one leaves: #9000 list of client 0 (9000 to 9001)"));
  EXPECT_THAT(verdict, Not(HasSubstr("\nread:"))) << "an undecided outcome is not a finding";
}

TEST(UnknownOutcome, TooManyPlacesAreUndecided) {
  // The deletion may stand anywhere between 3 and the newest revision; /d cannot be explained.
  const auto verdict = [](const std::string& newest) {
    return Verdict(
        "1 call 0 0 write delete \"/c\"\n"
        "2 call 0 0 write put \"/c\" \"c0\"\n3 done 2 at 3\n"
        "20 call 2 0 get \"/c\" linearizable\n21 seen 20 at " +
        newest + "\n22 call 2 0 get \"/d\" linearizable\n23 seen 22 at " + newest +
        " item \"/d\" \"d\" 9 9 1\n");
  };
  EXPECT_THAT(verdict("10003"), Not(HasSubstr("undecided")));
  EXPECT_THAT(verdict("10004"), HasSubstr("undecided: 1 writes"));
}

TEST(UnknownOutcome, WhatHasNothingToDoWithItIsNotTriedAgain) {
  // Each key needs a deletion that may be at many places; none of them helps /z.
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    lines += fmt::format(
        "{1} call 0 0 write put \"/k{0}\" \"v\"\n{2} done {1} at {3}\n"
        "{4} call 0 0 write delete \"/k{0}\"\n",
        i,
        10 * i + 10,
        10 * i + 11,
        i + 2,
        10 * i + 12);
  }
  lines += "9000 call 0 0 list \"/\" linearizable\n9001 seen 9000 at 400 item \"/z\" \"v\" 5 5 1\n";
  const std::string verdict = Verdict(lines, {.steps_max = 100});
  EXPECT_THAT(verdict, HasSubstr("read: #9000 list"));
  EXPECT_THAT(verdict, Not(HasSubstr("undecided")));
}

}  // namespace
}  // namespace dray::history
