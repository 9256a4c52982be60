// SPDX-License-Identifier: Apache-2.0
#include "base/text/printable.h"

#include <string_view>

#include <gtest/gtest.h>

namespace dray::inline text {
namespace {

using namespace std::string_view_literals;

TEST(Printable, WhatDoesMoreThanToShowItselfIsShown) {
  struct Case {
    std::string_view text, shown, json;
  };
  const Case cases[] = {
      {R"(gpu-0.example.com/Größe 日本 😀 \x)",
       R"(gpu-0.example.com/Größe 日本 😀 \x)",
       R"(gpu-0.example.com/Größe 日本 😀 \x)"},
      {"", "", ""},
      {"\x1b[2J", R"(\x1b[2J)", R"(\u001b[2J)"},
      {"a\r\n\tb\0c\x7f"sv, R"(a\x0d\x0a\x09b\x00c\x7f)", R"(a\u000d\u000a\u0009b\u0000c\u007f)"},
      {"\u0085\u009b31m", R"(\u0085\u009b31m)", R"(\u0085\u009b31m)"},
      {"\u202etxt.exe\u202c\u2066x\u2069\u061c\u200f",
       R"(\u202etxt.exe\u202c\u2066x\u2069\u061c\u200f)",
       R"(\u202etxt.exe\u202c\u2066x\u2069\u061c\u200f)"},
      {"a\u200bb\ufeffc\u00add\u2028e",
       R"(a\u200bb\ufeffc\u00add\u2028e)",
       R"(a\u200bb\ufeffc\u00add\u2028e)"},
      {"\U000e0041", R"(\U000e0041)", R"(\udb40\udc41)"},
      // not UTF-8: a lone byte, C1 as a byte, overlong, a surrogate, past the end, cut off
      {"\xff", R"(\xff)", R"(\ufffd)"},
      {"\x9b"
       "2J",
       R"(\x9b2J)",
       R"(\ufffd2J)"},
      {"\xc0\x9b", R"(\xc0\x9b)", R"(\ufffd\ufffd)"},
      {"\xe0\x80\x9b", R"(\xe0\x80\x9b)", R"(\ufffd\ufffd\ufffd)"},
      {"\xed\xa0\x80", R"(\xed\xa0\x80)", R"(\ufffd\ufffd\ufffd)"},
      {"\xf4\x90\x80\x80", R"(\xf4\x90\x80\x80)", R"(\ufffd\ufffd\ufffd\ufffd)"},
      {"\xe2\x80", R"(\xe2\x80)", R"(\ufffd\ufffd)"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(Printable(each.text), each.shown);
    EXPECT_EQ(Printable(each.shown), each.shown) << "once is enough";
    EXPECT_EQ(Printable(each.text, HiddenAs::kJson), each.json);
  }
}

TEST(Printable, OnlyLinesOfSourceStayLines) {
  EXPECT_EQ(PrintableLines("ERROR: x\n | a == b\n | ..^"), "ERROR: x\n | a == b\n | ..^");
  EXPECT_EQ(PrintableLines("ERROR: <input>:1:1: a\n | b\nERROR: <input>:1:2: c\n"),
            "ERROR: <input>:1:1: a\n | b\nERROR: <input>:1:2: c\\x0a");
  EXPECT_EQ(PrintableLines("x\n::error::y\n | z\x1b"), "x\\x0a::error::y\n | z\\x1b");
}

TEST(Printable, JsonStaysTheSameJson) {
  EXPECT_EQ(PrintableJson("{\n  \"a\": \"\u202e\x7f\"\n}\n"),
            "{\n  \"a\": \"\\u202e\\u007f\"\n}\n");
  EXPECT_FALSE(HasHidden("{\n  \"é\": 1}"));
  EXPECT_TRUE(HasHidden("\u202e"));
  EXPECT_TRUE(HasHidden("\xff"));
}

}  // namespace
}  // namespace dray::inline text
