// SPDX-License-Identifier: Apache-2.0
// Valid and invalid JSON (RFC 8259), by kind of error. Our own cases for the categories of
// JSONTestSuite (github.com/nst/JSONTestSuite); docs/design/dependencies.md has the result of that
// suite itself.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/codec/json_reader.h"

namespace dray::api {
namespace {

using namespace std::string_view_literals;

struct SuiteCase {
  std::string_view what;
  std::string_view text;
};

bool IsJson(std::string_view text) {
  JsonReader reader(text);
  reader.Skip();
  return reader.Finish();
}

// Must be accepted by every reader.
constexpr SuiteCase kJson[] = {
    {"array, empty", "[]"},
    {"array, blanks inside", "[ \n]"},
    {"array, of every kind", R"([null,1,"1",{},[],true,false])"},
    {"array, blank after it", "[7] "},
    {"array, blanks before it", " \t\r\n[7]"},
    {"array, elements that are null", "[1,null,null,2]"},
    {"number, zero", "[0]"},
    {"number, minus zero", "[-0]"},
    {"number, minus zero with an exponent", "[-0e1]"},
    {"number, negative", "[-17]"},
    {"number, fraction", "[17.250]"},
    {"number, fraction near zero", "[-0.0000000000000000000000000000000000000000000000000001]"},
    {"number, capital exponent", "[1E22]"},
    {"number, exponent with plus", "[1e+2]"},
    {"number, exponent with minus", "[1E-2]"},
    {"number, exponent that begins with zeros", "[1e007]"},
    {"number, fraction and exponent", "[12.5e3]"},
    {"number, digits without end",
     "[123456789012345678901234567890123456789012345678901234567890]"},
    {"number, at the top", "17"},
    {"object, empty", "{}"},
    {"object, empty key", R"({"":0})"},
    {"object, same key twice", R"({"a":1,"a":1})"},
    {"object, same key with other values", R"({"a":1,"a":2})"},
    {"object, key with NUL escaped", R"({"a\u0000b":1})"},
    {"object, key with escapes", R"({"\u0061\n":1})"},
    {"object, blanks everywhere", " { \"a\" : [ 1 , 2 ] \n, \"b\" : { } } "},
    {"object, one in another", R"({"a":{"b":{"c":{}}}})"},
    {"string, empty", R"([""])"},
    {"string, at the top", R"("x")"},
    {"string, every short escape", R"(["\"\\\/\b\f\n\r\t"])"},
    {"string, escaped control characters", R"(["\u0000\u001f"])"},
    {"string, DEL as it is", "[\"\x7f\"]"},
    {"string, hexadecimal digits of both cases", R"(["\uaBcD"])"},
    {"string, a pair of surrogates", R"(["\uD83D\uDE00"])"},
    {"string, escapes that only look like surrogates", R"(["\\uD83D\\u"])"},
    {"string, two bytes of UTF-8", "[\"\u00e9\"]"},
    {"string, three bytes of UTF-8", "[\"\u20ac\"]"},
    {"string, four bytes of UTF-8", "[\"\U0001F600\"]"},
    {"string, a noncharacter", "[\"\uFFFF\"]"},
    {"string, line separators as they are", "[\"\u2028\u2029\"]"},
    {"string, a comment inside", R"(["a/*b*/c//d"])"},
    {"string, brackets inside", R"(["]}[{,:"])"},
    {"true at the top", "true"},
    {"false at the top", "false"},
    {"null at the top", "null"},
};

// Must be refused by every reader.
constexpr SuiteCase kNotJson[] = {
    {"nothing", ""},
    {"blanks only", " \n"},
    {"two values", "1 2"},
    {"two arrays", "[][]"},
    {"array, comma at the end", "[1,]"},
    {"array, comma at the beginning", "[,1]"},
    {"array, only a comma", "[,]"},
    {"array, two commas", "[1,,2]"},
    {"array, comma after it", "[1],"},
    {"array, colon instead of a comma", "[1:2]"},
    {"array, no comma", "[1 2]"},
    {"array, not closed", "[1"},
    {"array, not closed after a comma", "[1,\n2,"},
    {"array, closed twice", "[1]]"},
    {"array, closed by a brace", "[1}"},
    {"array, only its end", "]"},
    {"array, elements in no array", "1,2"},
    {"number, plus", "[+1]"},
    {"number, two signs", "[--1]"},
    {"number, only a minus", "[-]"},
    {"number, minus and a blank", "[- 1]"},
    {"number, zero at the beginning", "[012]"},
    {"number, minus and zero at the beginning", "[-012]"},
    {"number, no digit before the point", "[.5]"},
    {"number, minus and no digit before the point", "[-.5]"},
    {"number, no digit after the point", "[5.]"},
    {"number, minus and no digit after the point", "[-5.]"},
    {"number, no digit between point and exponent", "[5.e3]"},
    {"number, two points", "[1.2.3]"},
    {"number, exponent without digits", "[1e]"},
    {"number, exponent with a sign only", "[1e+]"},
    {"number, two exponents", "[1e2e3]"},
    {"number, fraction in the exponent", "[1e2.5]"},
    {"number, exponent alone", "[e3]"},
    {"number, hexadecimal", "[0x1F]"},
    {"number, hexadecimal digits", "[1F]"},
    {"number, letter after it", "[1a]"},
    {"number, an underscore", "[1_000]"},
    {"number, a blank inside", "[1 000]"},
    {"number, not a number", "[NaN]"},
    {"number, infinity", "[Infinity]"},
    {"number, minus infinity", "[-Infinity]"},
    {"number, inf", "[inf]"},
    {"number, digits that are not ASCII", "[\uFF11]"},
    {"number, an expression", "[1+2]"},
    {"number, bad UTF-8 after it", "[1\xE5]"},
    {"object, comma at the end", R"({"a":1,})"},
    {"object, comma at the beginning", R"({,"a":1})"},
    {"object, two commas", R"({"a":1,,"b":2})"},
    {"object, no colon", R"({"a" 1})"},
    {"object, comma instead of a colon", R"({"a",1})"},
    {"object, two colons", R"({"a"::1})"},
    {"object, no value", R"({"a":})"},
    {"object, neither colon nor value", R"({"a"})"},
    {"object, value without key", "{1}"},
    {"object, no key", "{:1}"},
    {"object, key without quotes", "{a:1}"},
    {"object, key in single quotes", "{'a':1}"},
    {"object, key that is a number", "{1:1}"},
    {"object, key that is null", "{null:1}"},
    {"object, not closed", R"({"a":1)"},
    {"object, not closed after a key", R"({"a")"},
    {"object, only its beginning", "{"},
    {"object, closed by a bracket", R"({"a":1])"},
    {"object, closed twice", R"({"a":1}})"},
    {"object, a comment after it", R"({"a":1}/**/)"},
    {"object, a comment inside", R"({"a":/*comment*/1})"},
    {"object, a line comment", "{\"a\":1} // end"},
    {"object, # after it", R"({"a":1}#)"},
    {"string, no end", R"(["a)"},
    {"string, only a quote", "\""},
    {"string, single quotes", "['a']"},
    {"string, no quotes", "[a]"},
    {"string, typographic quotes", "[\u201ca\u201d]"},
    {"string, a line break", "[\"a\nb\"]"},
    {"string, a tab", "[\"a\tb\"]"},
    {"string, NUL", "[\"a\0b\"]"sv},
    {"string, an escape character", "[\"a\x1b\"]"},
    {"string, unknown escape", R"(["\x41"])"},
    {"string, escaped single quote", R"(["\'"])"},
    {"string, escaped letter", R"(["\a"])"},
    {"string, escape in capitals", R"(["\U0041"])"},
    {"string, escaped line break", "[\"\\\n\"]"},
    {"string, escaped NUL", "[\"\\\0\"]"sv},
    {"string, escaped UTF-8", "[\"\\\u00e9\"]"},
    {"string, no hexadecimal digits", R"(["\u"])"},
    {"string, three hexadecimal digits", R"(["\u00a"])"},
    {"string, bad hexadecimal digit", R"(["\u00g0"])"},
    {"string, escape cut short by the end", R"(["\u00)"},
    {"string, backslash before the end", "[\"\\"},
    {"string, backslash before the last quote", R"(["\"])"},
    {"string, half of a second surrogate", R"(["\uD83D\u"])"},
    {"string, escape outside of one", R"([\n])"},
    {"word, capital letters", "[True]"},
    {"word, cut short", "[tru]"},
    {"word, cut short by the end", "nul"},
    {"word, too long", "[nulll]"},
    {"word, unknown", "[undefined]"},
    {"blank, form feed", "[\f]"},
    {"blank, vertical tab", "[\v1]"},
    {"blank, no-break space", "[\u00a01]"},
    {"blank, word joiner", "[\u2060]"},
    {"byte order mark", "\uFEFF{}"},
    {"byte order mark, not whole", "\xEF\xBB{}"},
    {"UTF-16", "[\0\"\0\xE9\0\"\0]\0"sv},
    {"NUL after the document", "[]\0"sv},
    {"NUL alone", "\0"sv},
    {"bad UTF-8 alone", "\xE5"},
    {"angle brackets", "<.>"},
    {"star after the document", "[1]*"},
};

TEST(JsonSuite, AcceptsWhatIsJson) {
  for (const SuiteCase& one : kJson) EXPECT_TRUE(IsJson(one.text)) << one.what << ": " << one.text;
}

TEST(JsonSuite, RefusesWhatIsNot) {
  for (const SuiteCase& one : kNotJson)
    EXPECT_FALSE(IsJson(one.text)) << one.what << ": " << one.text;
}

// Cases that the RFC leaves to readers: numbers of any size are accepted, because the number's type
// checks them, and so are escapes of half a surrogate pair, as in Go.
TEST(JsonSuite, AcceptsWhatIsLeftToReaders) {
  constexpr SuiteCase kFree[] = {
      {"number, too large for a double", "[1e400]"},
      {"number, too small for a double", "[1e-400]"},
      {"number, huge exponent", "[-1e+9999999999]"},
      {"string, first surrogate alone", R"(["\uD83D"])"},
      {"string, second surrogate alone", R"(["\uDE00"])"},
      {"string, surrogates in the wrong order", R"(["\uDE00\uD83D"])"},
      {"string, first surrogate and a letter", R"(["\uD83Dx"])"},
      {"string, two first surrogates", R"(["\uD83D\uD83D"])"},
  };
  for (const SuiteCase& one : kFree) EXPECT_TRUE(IsJson(one.text)) << one.what;
}

// Bytes that are no UTF-8 are refused, where Go would replace them.
TEST(JsonSuite, RefusesWhatIsNoUnicode) {
  constexpr SuiteCase kBytes[] = {
      {"no UTF-8", "[\"\xFF\"]"},
      {"ISO 8859-1", "[\"\xE9\"]"},
      {"only a continuation", "[\"\x81\"]"},
      {"cut short", "[\"\xE0\xA0\"]"},
      {"longer than needed", "[\"\xC0\xAF\"]"},
      {"a surrogate", "[\"\xED\xA0\x80\"]"},
      {"past the last character", "[\"\xF4\xBF\xBF\xBF\"]"},
      {"in a key", "{\"\xFF\":1}"},
  };
  for (const SuiteCase& one : kBytes) EXPECT_FALSE(IsJson(one.text)) << one.what;
}

TEST(JsonSuite, HasALimitForDepth) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(IsJson(nested(JsonReader::kDepthMax)));
  EXPECT_FALSE(IsJson(nested(JsonReader::kDepthMax + 1)));
  EXPECT_FALSE(IsJson(std::string(100'000, '[')));
  std::string objects;
  for (int i = 0; i < 50'000; ++i) objects += R"([{"":)";
  EXPECT_FALSE(IsJson(objects));
}

}  // namespace
}  // namespace dray::api
