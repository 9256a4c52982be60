// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/output.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::cli::inline terminal {
namespace {

/// The output of `print`.
std::string Printed(const std::function<void(const Output&)>& print) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* const stream = open_memstream(&text, &size);
  print({.out = stream, .notes = stream});
  std::fclose(stream);  // as opened
  std::string printed(text, size);
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)
  return printed;
}

TEST(Table, ColumnsAreAsWideAsTheirWidestCell) {
  const std::vector<Row> rows = {{"POOL", "DEVICES"}, {"a-long-name", "7"}, {"b", "12"}};
  EXPECT_EQ(TableOf(rows), "POOL          DEVICES\na-long-name   7\nb             12\n");
}

TEST(Table, NumbersStandToTheRightWhenAsked) {
  const std::vector<Row> rows = {{"POOL", "DEVICES"}, {"1", "7"}, {"b", "12"}};
  EXPECT_EQ(TableOf(rows, Numbers::kRight), "POOL   DEVICES\n   1         7\nb           12\n");
}

TEST(Table, WithoutRowsIsEmpty) {
  EXPECT_EQ(TableOf({}), "");
}

// Texts from files or clusters move no cursor and start no line, in all output.
TEST(TextsForPeople, KeepTheLayoutOfTheCommand) {
  const std::string name = "c\x1b[2J\r\n::error::forged";
  const std::string shown = "c\\x1b[2J\\x0d\\x0a::error::forged";
  EXPECT_EQ(TextFor("{}: {}\n", name, 3), shown + ": 3\n");
  EXPECT_EQ(TextFor("{}", Composed("a\n" + Painted("b", kRed, Colours::kTerminal))),
            "a\n\033[1;31mb\033[0m");
  EXPECT_EQ(TextFor("{}|", "ERROR\n | x == 1\n | ^"), "ERROR\n | x == 1\n | ^|");
  EXPECT_EQ(Printed([&](const Output& output) { Print(output.out, "{:<3}|{}\n", "a", name); }),
            "a  |" + shown + "\n");
  EXPECT_EQ(Printed([&](const Output& output) { output.Refuse("x", name); }),
            "dray x: " + shown + "\n");
  EXPECT_EQ(Printed([&](const Output& output) { output.Notes(std::vector{name}); }),
            "note: " + shown + "\n");
  const std::vector<Row> rows = {{"NAME", "B"}, {name, "\u202e"}};
  EXPECT_THAT(TableOf(rows), ::testing::EndsWith("\n" + shown + "   \\u202e\n"));
  Facts facts;
  facts.AddText("name", "name", name);
  facts.AddTexts("problem", "problems", {"\u009b2J\nverdict  sound"});
  EXPECT_EQ(Printed([&](const Output& output) { facts.Print(OutputFormat::kText, output); }),
            "name     " + shown + "\nproblem  \\u009b2J\\x0averdict  sound\n");
  EXPECT_THAT(Printed([&](const Output& output) { facts.Print(OutputFormat::kJson, output); }),
              ::testing::HasSubstr("\"\\u009b2J\\nverdict  sound\""));
}

TEST(Facts, AreLinesForPeopleAndAnObjectForPrograms) {
  Facts facts;
  facts.AddText("file", "file", "a \"b\"");
  facts.AddBytes("size", "sizeBytes", 2048);
  facts.AddNumber("", "keys", 3);
  facts.AddFlag("sound", true);
  facts.AddTexts("problem", "problems", {"one", "two"});
  EXPECT_EQ(Printed([&](const Output& output) { facts.Print(OutputFormat::kText, output); }),
            "file     a \"b\"\nsize     2.0 KiB\nproblem  one\nproblem  two\n");
  EXPECT_EQ(Printed([&](const Output& output) { facts.Print(OutputFormat::kJson, output); }),
            R"({
  "file": "a \"b\"",
  "sizeBytes": 2048,
  "keys": 3,
  "sound": true,
  "problems": [
    "one",
    "two"
  ]
}
)");
}

TEST(Bytes, HaveTheUnitThatLeavesAFewDigits) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1024), "1.0 KiB");
  EXPECT_EQ(BytesText(uint64_t{12} << 20U), "12.0 MiB");
}

TEST(Painted, OnlyWhereATerminalShowsIt) {
  EXPECT_EQ(Painted("no", kRed, Colours::kNone), "no");
  EXPECT_EQ(Painted("no", kRed, Colours::kTerminal), "\033[1;31mno\033[0m");
}

}  // namespace
}  // namespace dray::cli::inline terminal
