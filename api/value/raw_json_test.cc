// SPDX-License-Identifier: Apache-2.0
#include "api/value/raw_json.h"

#include <gtest/gtest.h>

#include "api/value/int_or_string.h"

namespace dray::api {
namespace {

TEST(RawJson, IsWrittenWithoutBlanksAndWithEscapes) {
  struct {
    const char *given, *written;
  } const cases[] = {
      {"", "null"},
      {"null", "null"},
      {" { \"a\" :\t[ 1 ,\r\n2 ] } ", R"({"a":[1,2]})"},
      {R"({"a b" : "x \" y" , "c":"\\" , "d" : " " })", R"({"a b":"x \" y","c":"\\","d":" "})"},
      {"{\"a<b>\": \"\xE2\x80\xA8 & \xE2\x80\xAA\\\\\"}",
       "{\"a\\u003cb\\u003e\":\"\\u2028 \\u0026 \xE2\x80\xAA\\\\\"}"},
      {R"({"z":1,"a":1.0e+3,"z":2})", R"({"z":1,"a":1.0e+3,"z":2})"},
  };
  for (const auto& c : cases) EXPECT_EQ(RawJson(c.given).compact(), c.written);
}

TEST(RawJson, EqualsByBytes) {
  EXPECT_EQ(RawJson("{}"), RawJson("{}"));
  EXPECT_NE(RawJson("{}"), RawJson("{ }"));
  EXPECT_TRUE(RawJson().IsNull());
  EXPECT_TRUE(RawJson("null").IsNull());
  EXPECT_FALSE(RawJson("{}").IsNull());
}

TEST(IntOrString, KeepsWhichOfBothItIs) {
  EXPECT_EQ(IntOrString(), IntOrString(0));
  EXPECT_NE(IntOrString(1), IntOrString("1"));
  EXPECT_EQ(IntOrString(-5).ToString(), "-5");
  EXPECT_EQ(IntOrString("50%").ToString(), "50%");
  EXPECT_EQ(IntOrString("50%").number(), 0);
  EXPECT_EQ(IntOrString(5).text(), "");
  EXPECT_TRUE(IntOrString("").is_string());
}

}  // namespace
}  // namespace dray::api
