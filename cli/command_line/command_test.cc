// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/command.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line/help.h"
#include "cli/command_line/mistakes.h"

namespace dray::cli::inline command_line {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StrEq;

using Line = std::vector<std::string>;

/// A program with one command, and the targets of its options.
struct Paint {
  Command program{"paint", "colours things"};
  Command& wall = program.Add("wall", "colours a wall");
  std::string colour = "red";
  bool dries = true;
  int64_t coats = 2;
  std::vector<std::string> steps, tools, rooms;

  Paint() {
    Option& chosen =
        wall.Text("-c, --colour", colour, "which one").OneOf({"red", "green"}).ShowsDefault();
    wall.Flag("--dry, !--no-dry", dries, "wait").Excludes(chosen);
    wall.Number("--coats", coats, "how many").Between(1, 9);
    for (const char* name : {"--scrape", "--sand"}) {
      wall.Texts(
              std::string(name) + " TOOL",
              [this, name](const std::string& tool) { steps.push_back(name + (" " + tool)); },
              "first")
          .InGroup("Before");
    }
    wall.List("--tools NAMES", tools, "whose");
    wall.Texts("ROOM", rooms, "where").Required();
    wall.Does([](World&, const Output&) { return kExitYes; });
  }

  Asked Read(const Line& words) { return program.Read(words); }
};

TEST(Command, TakesWhatTheWordsGive) {
  Paint paint;
  const Asked asked =
      paint.Read({"wall", "--tools", "a,b", "-c", "green", "--coats=3", "hall", "attic"});
  EXPECT_EQ(asked.what, Asked::What::kAction);
  EXPECT_EQ(asked.command, &paint.wall);
  EXPECT_EQ(paint.colour, "green");
  EXPECT_EQ(paint.coats, 3);
  EXPECT_THAT(paint.tools, ElementsAre("a", "b"));
  EXPECT_THAT(paint.rooms, ElementsAre("hall", "attic"));
}

TEST(Command, AnEmptyListDoesNotTakeTheNextWord) {
  Paint paint;
  EXPECT_EQ(paint.Read({"wall", "--tools=", "--coats=3", "hall"}).what, Asked::What::kAction);
  EXPECT_THAT(paint.tools, IsEmpty());
  EXPECT_EQ(paint.coats, 3);
}

TEST(Command, TakesTextsOneEachTimeInTheOrderOfTheLine) {
  Paint paint;
  paint.Read({"wall", "--sand", "1", "hall", "--scrape=2", "--sand=3"});
  EXPECT_THAT(paint.steps, ElementsAre("--sand 1", "--scrape 2", "--sand 3"));
  EXPECT_THAT(paint.rooms, ElementsAre("hall"));
}

TEST(Command, ANameAfterAnExclamationMarkSaysTheReverse) {
  Paint paint;
  paint.Read({"wall", "hall", "--no-dry"});
  EXPECT_FALSE(paint.dries);
}

TEST(Command, SaysWhichCommandIsAskedForHelp) {
  Paint paint;
  const Asked asked = paint.Read({"wall", "--help"});
  EXPECT_EQ(asked.what, Asked::What::kHelp);
  EXPECT_EQ(asked.command, &paint.wall);
  EXPECT_EQ(Paint().Read({"--version"}).what, Asked::What::kVersion);
}

TEST(Command, RefusesMistakes) {
  struct Case {
    Line words;
    std::string refusal;
  };
  const Case cases[] = {
      {{}, "paint: a command is missing"},
      {{"wal"}, "paint: there is no command \"wal\"; did you mean wall?"},
      {{"wall"}, "paint wall: ROOM is required"},
      {{"wall", "hall", "--coat", "1"},
       "paint wall: there is no option --coat; did you mean --coats?"},
      {{"wall", "hall", "--coats", "10"}, "paint wall: --coats: Value 10 not in range 1 to 9"},
      {{"wall", "hall", "-c", "grene"},
       "paint wall: --colour: grene is none of red, green; did you mean green?"},
      {{"wall", "hall", "-c", "red", "--dry"}, "paint wall: --colour excludes --dry"},
  };
  for (const Case& one : cases) {
    const std::string refusal = Refusal(Paint().Read(one.words));
    EXPECT_THAT(refusal.substr(0, refusal.find('\n')), StrEq(one.refusal));
  }
}

TEST(Command, IsDescribedAsItIsDeclared) {
  EXPECT_EQ(HelpText(Paint().wall.Describe()),
            "colours a wall\n"
            "\n"
            "Usage: paint wall [OPTION]... ROOM...\n"
            "\n"
            "Operands:\n"
            "  ROOM                    where\n"
            "\n"
            "Options:\n"
            "  -h, --help              print this help, and end\n"
            "  -c, --colour WORD       which one (default: red)\n"
            "  --dry, --no-dry         wait\n"
            "  --coats NUMBER          how many\n"
            "  --tools NAMES           whose\n"
            "\n"
            "Before:\n"
            "  --scrape TOOL           first\n"
            "  --sand TOOL             first\n");
}

}  // namespace
}  // namespace dray::cli::inline command_line
