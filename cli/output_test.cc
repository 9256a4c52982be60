// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::cli {
namespace {

/// What `print` writes as an answer.
std::string Printed(const std::function<void(const Output&)>& print) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* const stream = open_memstream(&text, &size);
  print({.out = stream, .notes = stream});
  std::fclose(stream);  // NOLINT(cppcoreguidelines-owning-memory): as it was opened
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
}  // namespace dray::cli
