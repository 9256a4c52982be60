// SPDX-License-Identifier: Apache-2.0
#include "api/value/quantity.h"

#include <limits>
#include <random>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

namespace dray::api {
namespace {

/// An integer of any size, each result a value of its own.
using cpp_int = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;

Quantity Q(std::string_view text) {
  const Result<Quantity> result = Quantity::Parse(text);
  EXPECT_TRUE(result.has_value()) << text;
  return result.value_or(Quantity());
}

struct TextCase {
  const char* text;
  const char* printed;
};
constexpr TextCase kTexts[] = {
    {"0", "0"},
    {"1", "1"},
    {"-1", "-1"},
    {"1000m", "1"},
    {"1500m", "1500m"},
    {"1.5", "1500m"},
    {"1024Mi", "1Gi"},
    {"0.5Gi", "512Mi"},
    {"1.5Gi", "1536Mi"},
    {"1Ki", "1Ki"},
    {"1024", "1024"},
    {"1023Ki", "1023Ki"},
    {"1025Ki", "1025Ki"},
    {"8Ki", "8Ki"},
    {"0.5Ki", "512"},
    {"1.5Ki", "1536"},
    {"0.5Mi", "512Ki"},
    {"-1024Mi", "-1Gi"},
    {"-0.5Gi", "-512Mi"},
    {"1000", "1k"},
    {"1000k", "1M"},
    {"100000000000n", "100"},
    {"1.23456789012345678901234567890", "1234567891n"},
    {"0.0000000001", "1n"},
    {"-0.0000000001", "-1n"},
    {"1e-10", "1e-9"},
    {"0.1m", "100u"},
    {"1u", "1u"},
    {"1n", "1n"},
    {"0.5n", "1n"},
    {"12e6", "12e6"},
    {"12E6", "12E6"},
    {"1.5e3", "1500"},
    {"1500e3", "1500e3"},
    {"1000e3", "1e6"},
    {"1e1", "10"},
    {"1E", "1E"},
    {"1Ei", "1Ei"},
    {"7Ei", "7Ei"},
    {"8Ei", "9223372036854775807"},
    {"-8Ei", "-9223372036854775807"},
    {"1e1000", "10e999"},
    {"9223372036854775807", "9223372036854775807"},
    {"9223372036854775808", "9223372036854775808"},
    {"9999999999999999999999999999999999999G", "9999999999999999999999999999999999999G"},
    // Upstream would print 1: there is no suffix above E.
    {"1000E", "1000E"},
    {"1000000E", "1000000E"},
    // Texts upstream keeps as they are.
    {"+1", "+1"},
    {"1.", "1."},
    {"1.234", "1.234"},
    {"1e+3", "1e+3"},
    {"007", "007"},
    {"+1Ki", "+1Ki"},
    {"01.5", "1500m"},
    {"+1.5", "1500m"},
    // Incomplete texts that the reader accepts.
    {"Mi", "0"},
    {"Ti", "0"},
    {".", "0"},
    {"+", "0"},
    {"-", "0"},
    {"-0", "0"},
    {"000", "0"},
    {".5", "500m"},
    {"5.G", "5.G"},
    {"0Ei", "0"},
    {"0.000000000000000000000000", "0"},
    {"0e999999999", "0"},
    {"0.25Ti", "256Gi"},
    {"0.0001Ki", "102400u"},
    {"0.00000001Ki", "10240n"},
    {"0.000000000001Ki", "2n"},
};

TEST(QuantityText, IsPrintedInCanonicalFormOrKept) {
  for (const TextCase& c : kTexts) {
    const Result<Quantity> parsed = Quantity::Parse(c.text);
    ASSERT_TRUE(parsed.has_value()) << c.text << ": " << parsed.error().message;
    EXPECT_EQ(parsed->ToString(), c.printed) << c.text;
    const Result<Quantity> again = Quantity::Parse(parsed->ToString());
    ASSERT_TRUE(again.has_value()) << c.text;
    EXPECT_EQ(*again, *parsed) << c.text;
  }
}

constexpr const char* kFormatWrong =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr const char* kNumberWrong = "unable to parse numeric part of quantity";
constexpr const char* kSuffixWrong = "unable to parse quantity's suffix";

TEST(QuantityText, TheSmallestNumberIsNotDividedByBinaryUnits) {
  EXPECT_EQ(Quantity::FromInt(INT64_MIN, QuantityFormat::kBinarySi).ToString(),
            "-9223372036854775808");
  EXPECT_EQ(Quantity::FromInt(INT64_MIN + 1024, QuantityFormat::kBinarySi).ToString(),
            "-9007199254740991Ki");
}

TEST(QuantityText, BadOnesAreRefusedInUpstreamsWords) {
  const TextCase cases[] = {
      {"", kFormatWrong},
      {"1 ", kFormatWrong},
      {" 1", kFormatWrong},
      {"1,5", kFormatWrong},
      {"Three", kFormatWrong},
      {"1GiB", kFormatWrong},
      {"0x10", kFormatWrong},
      {"1.2.3", kFormatWrong},
      {"--1", kSuffixWrong},
      {"1K", kSuffixWrong},
      {"1ki", kSuffixWrong},
      {"12e", kSuffixWrong},
      {"1e-", kSuffixWrong},
      {"1ee3", kSuffixWrong},
      {"1+3", kSuffixWrong},
      {"1mm", kSuffixWrong},
      {"1e99999999999999999999", kSuffixWrong},
      {"Ei", kNumberWrong},
      {"Pi", kNumberWrong},
      {"+.Ei", kNumberWrong},
      {"1e1001", kNumberWrong},
      {"1e2147483647", kNumberWrong},
      // Their canonical texts have larger exponents: 1e1002 …
      {"10000e999", kNumberWrong},
      {"100e1000", kNumberWrong},
      {"-100e1000", kNumberWrong},
      {"1000e999", kNumberWrong},
  };
  for (const TextCase& c : cases) {
    const Result<Quantity> parsed = Quantity::Parse(c.text);
    ASSERT_FALSE(parsed.has_value()) << c.text;
    EXPECT_EQ(parsed.error().message, c.printed) << c.text;
  }
}

TEST(QuantityText, HasALargestExponent) {
  const auto is_taken = [](int32_t exponent) {
    return Quantity::Parse("1e" + std::to_string(exponent)).has_value();
  };
  EXPECT_TRUE(is_taken(kQuantityExponentMax));
  EXPECT_FALSE(is_taken(kQuantityExponentMax + 1));
}

// Zero has no exponent, whatever it was written with.
TEST(QuantityText, IsZeroWithAnyExponent) {
  for (const char* text : {"0e2147483647", "0e-2147483648", "0e1001"}) {
    const Result<Quantity> parsed = Quantity::Parse(text);
    ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error().message;
    EXPECT_EQ(parsed->ToString(), "0") << text;
  }
}

TEST(QuantityText, HasALimitOfLength) {
  EXPECT_TRUE(Quantity::Parse(std::string(kQuantityTextMax, '1')).has_value());
  EXPECT_FALSE(Quantity::Parse(std::string(kQuantityTextMax + 1, '1')).has_value());
}

// An accepted amount must be readable after it was stored, and the store has the canonical text.
TEST(QuantityText, IsRefusedWhenItsCanonicalTextBreaksALimit) {
  const std::string nines(kQuantityTextMax - 2, '9');
  struct LimitCase {
    std::string text;
    bool is_read;
  };
  const LimitCase cases[] = {
      {"999e999", true},
      {"99e1000", true},  // 990e999
      {"1000e996", true},
      {nines + "e2", true},   // two zeros more, two letters less
      {nines + "e5", false},  // two zeros and e3
      {nines + "e3", true},
      {nines + ".1", false},  // …100m
      {nines.substr(2) + ".1", true},
      {nines.substr(1) + ".1", false},
      {nines + "m", true},
      {nines.substr(1) + ".1n", true},
      {"-" + nines + "E", true},
      {"-" + nines.substr(2) + ".1E", false},  // …100P
      {"-" + nines.substr(3) + ".1E", true},
      {nines.substr(9) + "." + std::string(10, '9'), true},  // is rounded up to 1 and zeros
  };
  for (const LimitCase& c : cases) {
    const Result<Quantity> parsed = Quantity::Parse(c.text);
    ASSERT_EQ(parsed.has_value(), c.is_read) << c.text;
    if (!c.is_read) continue;
    const Result<Quantity> again = Quantity::Parse(parsed->ToString());
    ASSERT_TRUE(again.has_value()) << c.text;
    EXPECT_EQ(*again, *parsed) << c.text;
    EXPECT_EQ(again->ToString(), parsed->ToString()) << c.text;
  }
}

// Upstream keeps the exponent and the number of digits after the dot in 32 bits, where the smallest
// exponents wrap around to the largest; a comparison would take years.
TEST(QuantityText, TheSmallestExponentsAreANano) {
  for (const char* text : {"1.1e-2147483648",
                           "1.12345678901234567e-2147483640",
                           "1e-2147483648",
                           "1e-1001",
                           "0.1e-2147483640"}) {
    const Result<Quantity> parsed = Quantity::Parse(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(parsed->ToString(), "1e-9") << text;
    EXPECT_LT(*parsed, Q("1")) << text;
    EXPECT_EQ(*parsed + Q("1"), Q("1000000001n")) << text;
  }
  EXPECT_TRUE(Q("0.0e-2147483648").IsZero());
}

TEST(QuantityText, MayStandBetweenBlanksInDocuments) {
  EXPECT_EQ(Quantity::ParseTrimmed(" 1Gi\n")->ToString(), "1Gi");
  EXPECT_FALSE(Quantity::ParseTrimmed("  ").has_value());
  EXPECT_FALSE(Quantity::ParseTrimmed("1 Gi").has_value());
}

TEST(QuantityOrder, IsByValueWhateverTheSpelling) {
  const std::vector<std::vector<std::string>> ascending = {
      {"-1e30"},
      {"-8Ei", "-9223372036854775807"},
      {"-1"},
      {"-1n", "-0.1n"},
      {"0", "-0", "0Mi"},
      {"1n", "1e-9"},
      {"1m"},
      {"1", "1000m", "1e0", "1000000000n"},
      {"1k", "1000", "1e3"},
      {"1Ki", "1024"},
      {"1G"},
      {"1Gi", "1024Mi", "1073741824"},
      {"1E"},
      {"1Ei"},
      {"9223372036854775807", "8Ei"},
      {"9223372036854775808"},
      {"1000E"},
      {"1e1000"},
  };
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      for (const std::string& a : ascending[i]) {
        for (const std::string& b : ascending[j]) {
          EXPECT_EQ(Q(a) <=> Q(b), std::weak_ordering(i <=> j)) << a << " and " << b;
          EXPECT_EQ(Q(a) == Q(b), i == j) << a << " and " << b;
        }
      }
    }
  }
}

TEST(QuantityArithmetic, IsExactAndKeepsTheReceiversFormat) {
  EXPECT_EQ((Q("50k") + Q("20k")).ToString(), "70k");
  EXPECT_EQ((Q("50k") + Quantity::FromInt(20)).ToString(), "50020");
  EXPECT_EQ((Q("1Gi") + Q("1G")).ToString(), "2073741824");
  EXPECT_EQ((Q("1.5Gi") + Q("512Mi")).ToString(), "2Gi");
  EXPECT_EQ((Q("1") - Q("2")).ToString(), "-1");
  EXPECT_EQ((Q("9223372036854775807") + Q("9223372036854775807")).ToString(),
            "18446744073709551614");
  EXPECT_EQ((Q("1e30") - Q("1n")).ToString(), "999999999999999999999999999999999999999e-9");
  EXPECT_EQ((Q("8Ei") + Q("1")).ToString(), "8Ei");
  EXPECT_EQ((Quantity() + Q("2Gi")).ToString(), "2Gi");
  EXPECT_EQ((Quantity() - Q("2Gi")).ToString(), "-2Gi");
  EXPECT_EQ((Q("1Gi") - Q("1073741824") + Q("1500")).ToString(), "1500");
  EXPECT_EQ((-Q("1.5Gi")).ToString(), "-1536Mi");
  EXPECT_EQ((-Q("+1")).ToString(), "-1");
  EXPECT_EQ((Q("1500m") * 2).ToString(), "3");
  EXPECT_EQ((Q("4611686018427387904") * -4).ToString(), "-18446744073709551616");
  EXPECT_EQ((Q("+1") + Quantity()).ToString(), "1");
  Quantity doubled = Q("3Gi");
  doubled += doubled;
  EXPECT_EQ(doubled.ToString(), "6Gi");
}

TEST(QuantityValue, RoundsAwayFromZeroAndStopsAtTheEnds) {
  struct {
    const char* text;
    int64_t value, milli;
  } const cases[] = {
      {"0", 0, 0},
      {"1n", 1, 1},
      {"-1n", -1, -1},
      {"1500m", 2, 1500},
      {"-1500m", -2, -1500},
      {"2000m", 2, 2000},
      {"1Ki", 1024, 1024000},
      {"9223372036854775807", INT64_MAX, INT64_MAX},
      {"9223372036854775808", INT64_MAX, INT64_MAX},
      {"-9223372036854775808", INT64_MIN, INT64_MIN},
      {"100E", INT64_MAX, INT64_MAX},
      {"-100E", INT64_MIN, INT64_MIN},
      {"1.0000000000000000001", 2, 1001},
      {"-1.0000000000000000001", -2, -1001},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Q(c.text).Value(), c.value) << c.text;
    EXPECT_EQ(Q(c.text).MilliValue(), c.milli) << c.text;
  }
}

TEST(QuantityValue, WrapsAroundAsUpstreamWhereAsked) {
  EXPECT_EQ(Q("1500m").WrappedValue(), 2);
  EXPECT_EQ(Q("-1500m").WrappedValue(), -2);
  EXPECT_EQ(Q("9223372036854775807").WrappedValue(), INT64_MAX);
  EXPECT_EQ(Q("100E").WrappedValue(), 0);  // small: mantissa and power of ten
  EXPECT_EQ(Q("9223372036854775808").WrappedValue(), INT64_MIN);  // big: the low 64 bits
  EXPECT_EQ(Q("18446744073709551619").WrappedValue(), 3);
  EXPECT_EQ(Q("-18446744073709551619").WrappedValue(), -3);
}

TEST(QuantityValue, WholeNumbersAreThoseOfTheSmallForm) {
  EXPECT_EQ(Q("1Gi").AsInt64(), 1073741824);
  EXPECT_EQ(Q("50k").AsInt64(), 50000);
  EXPECT_EQ(Q("-3").AsInt64(), -3);
  for (const char* text : {"1500m", "2000m", "1.0", "9223372036854775807", "1Ei", "8Ei", "100E"}) {
    EXPECT_EQ(Q(text).AsInt64(), std::nullopt) << text;
  }
}

TEST(QuantityValue, ApproximateDoubleHasUpstreamsNoise) {
  EXPECT_EQ(Q("1Ki").AsApproximateDouble(), 1024.0);
  EXPECT_EQ(Q("0.1").AsApproximateDouble(), 0.1);
  EXPECT_EQ(Q("-1.5").AsApproximateDouble(), -1.5);
  EXPECT_DOUBLE_EQ(Q("1e30").AsApproximateDouble(), 1e30);
  EXPECT_DOUBLE_EQ(Q("9223372036854775808").AsApproximateDouble(), 9223372036854775808.0);
}

TEST(QuantityValue, RepresentationIsFinerThanValue) {
  EXPECT_TRUE(SameRepresentation(Q("1Gi"), Q("1Gi")));
  EXPECT_FALSE(SameRepresentation(Q("1"), Q("1000m")));
  EXPECT_FALSE(SameRepresentation(Q("1"), Q("+1")));
  EXPECT_FALSE(SameRepresentation(Q("1Ki"), Q("1024")));
  EXPECT_FALSE(SameRepresentation(Q("1e30"), Q("1e+30")));
}

struct Reading {
  const char* text;
  bool reads_as_printed;
};

TEST(QuantityValue, SomeTextsAreForgottenAndTheirPrintedFormIsNot) {
  const Reading cases[] = {
      {"1Gi", true},      // remembered
      {"1024Mi", false},  // forgotten; 1Gi is remembered
      {"8192Mi", true},   // forgotten, as 8Gi is
      {"8Gi", true},
      {"1000", false},  // 1k
      {"0", true},
      {"0.5", false},  // 500m
      {"+1", true},
      {"1e30", true},
  };
  for (const Reading& one : cases) {
    EXPECT_EQ(Q(one.text).ReadsAsPrinted(), one.reads_as_printed) << one.text;
  }
  EXPECT_TRUE(Quantity::FromInt(int64_t{1} << 30, QuantityFormat::kBinarySi).ReadsAsPrinted());
  EXPECT_TRUE(SameText(Q("1Gi"), Q("1024Mi")));
  EXPECT_FALSE(SameText(Q("1Gi"), Q("1073741824")));
  EXPECT_FALSE(SameText(Q("1"), Q("+1")));
}

// The oracle: a text as a whole number of nanos, by the definition.
struct Oracle {
  cpp_int nanos;
  std::string text;
};

Oracle RandomText(std::mt19937_64& random) {
  static const std::vector<std::pair<std::string, std::pair<int, int>>> kUnits = {
      {"n", {10, -9}},
      {"u", {10, -6}},
      {"m", {10, -3}},
      {"", {10, 0}},
      {"k", {10, 3}},
      {"M", {10, 6}},
      {"G", {10, 9}},
      {"T", {10, 12}},
      {"P", {10, 15}},
      {"E", {10, 18}},
      {"e5", {10, 5}},
      {"E-4", {10, -4}},
      {"Ki", {2, 10}},
      {"Mi", {2, 20}},
      {"Gi", {2, 30}},
      {"Ti", {2, 40}},
      {"Pi", {2, 50}},
      {"Ei", {2, 60}},
  };
  const auto& [suffix, power] = kUnits[random() % kUnits.size()];
  std::string whole;
  std::string fraction;
  for (uint64_t left = 1 + random() % 22; left > 0; --left)
    whole += static_cast<char>('0' + random() % 10);
  if (random() % 4 == 0) whole += "000";
  if (random() % 2 == 0) {
    for (uint64_t left = random() % 22; left > 0; --left)
      fraction += static_cast<char>('0' + random() % 10);
  }
  const std::string digits = whole + fraction;
  const size_t zeros = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  cpp_int numerator(digits.substr(zeros));
  cpp_int denominator =
      boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(fraction.size()));
  numerator *= 1'000'000'000;
  const auto magnitude = static_cast<unsigned>(std::abs(power.second));
  (power.second < 0 ? denominator : numerator) *=
      boost::multiprecision::pow(cpp_int(power.first), magnitude);
  cpp_int nanos = (numerator + denominator - 1) / denominator;
  const cpp_int cap = cpp_int(std::numeric_limits<int64_t>::max()) * 1'000'000'000;
  if (power.first == 2 && nanos > cap) nanos = cap;
  const bool negative = random() % 3 == 0;
  const std::string text =
      (negative ? "-" : "") + whole + (fraction.empty() ? "" : "." + fraction) + suffix;
  return {.nanos = negative ? cpp_int(-nanos) : nanos, .text = text};
}

// For a quantity in the exponent form, whose text can be parsed without suffixes.
cpp_int NanosOf(const Quantity& quantity) {
  std::string text = quantity.ToString();
  int64_t exponent = 0;
  if (const size_t e = text.find('e'); e != std::string::npos) {
    exponent = std::stoll(text.substr(e + 1));
    text.resize(e);
  }
  return cpp_int(text + std::string(static_cast<size_t>(exponent + 9), '0'));
}

TEST(QuantityProperty, AgreesWithExactIntegers) {
  std::mt19937_64 random(4381);
  const Quantity cap = Q("8Ei");
  for (int round = 0; round < 5000; ++round) {
    const Oracle a = RandomText(random);
    const Oracle b = RandomText(random);
    const Quantity left = Q(a.text);
    const Quantity right = Q(b.text);
    const std::string where = a.text + " and " + b.text;
    EXPECT_EQ(left < right, a.nanos < b.nanos) << where;
    EXPECT_EQ(left == right, a.nanos == b.nanos) << where;
    EXPECT_EQ(left.Sign(), a.nanos.sign()) << where;
    EXPECT_EQ(Q(left.ToString()), left) << where;
    const Quantity total = left + right;
    // A sum may leave the range that the binary suffixes are capped to when read.
    if (total.format() != QuantityFormat::kBinarySi || (total < cap && total > -cap)) {
      EXPECT_EQ(Q(total.ToString()), total) << where;
    }
    // Big receivers print with an exponent, from which the value is read back.
    const Quantity sum = (Q("1e60") + left) + right - Q("1e60");
    EXPECT_EQ(sum, left + right) << where;
    EXPECT_EQ(NanosOf(Q("1e60") + left + right) - NanosOf(Q("1e60")), a.nanos + b.nanos) << where;
    EXPECT_EQ(NanosOf(Q("1e60") + left - right) - NanosOf(Q("1e60")), a.nanos - b.nanos) << where;
    EXPECT_EQ(left - right + right, left) << where;
  }
}

}  // namespace
}  // namespace dray::api
