// SPDX-License-Identifier: Apache-2.0
#include "api/value/natural.h"

#include <random>
#include <string>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

namespace dray::api {
namespace {

/// An integer of any size, each result a value of its own.
using cpp_int = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;

std::string RandomDigits(std::mt19937_64& random, size_t digits_max) {
  std::string digits = std::to_string(1 + random() % 9);
  for (size_t left = random() % digits_max; left > 0; --left)
    digits += std::to_string(random() % 10);
  return digits;
}

TEST(Natural, AgreesWithALibraryOnRandomNumbers) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::string a_digits = RandomDigits(random, 120);
    const std::string b_digits = RandomDigits(random, 120);
    const cpp_int a(a_digits);
    const cpp_int b(b_digits);
    Natural sum = Natural::FromDigits(a_digits);
    sum.Add(Natural::FromDigits(b_digits));
    EXPECT_EQ(sum.ToDigits(), cpp_int(a + b).str());
    sum.Subtract(Natural::FromDigits(a_digits));
    EXPECT_EQ(sum.ToDigits(), b_digits);
    const uint64_t factor = random();
    Natural product = Natural::FromDigits(a_digits);
    product.Multiply(factor);
    EXPECT_EQ(product.ToDigits(), cpp_int(a * factor).str());
    const auto power = static_cast<size_t>(random() % 40);
    Natural quotient = Natural::FromDigits(a_digits);
    const cpp_int divisor = boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(power));
    EXPECT_EQ(quotient.DivideByPowerOf10(power), cpp_int(a % divisor) == 0);
    EXPECT_EQ(quotient.ToDigits(), cpp_int(a / divisor).str());
    Natural shifted = Natural::FromDigits(a_digits);
    shifted.ShiftLeft(power);
    EXPECT_EQ(shifted.ToDigits(), cpp_int(a << power).str());
    EXPECT_EQ(Natural::FromDigits(a_digits) < Natural::FromDigits(b_digits), a < b);
    EXPECT_EQ(Natural::FromDigits(a_digits).ToDouble(), std::stod(a_digits)) << a_digits;
  }
}

TEST(Natural, ZeroIsPlain) {
  EXPECT_TRUE(Natural().IsZero());
  EXPECT_TRUE(Natural(0).IsZero());
  EXPECT_EQ(Natural::FromDigits(""), Natural::FromDigits("000"));
  EXPECT_EQ(Natural().ToDigits(), "0");
  EXPECT_EQ(Natural().ToDouble(), 0.0);
  EXPECT_EQ(Natural(5).Low64(), 5U);
}

}  // namespace
}  // namespace dray::api
