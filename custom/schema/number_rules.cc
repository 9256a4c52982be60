// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/number_rules.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "api/codec/yaml_scalar.h"
#include "custom/schema/shown.h"

namespace dray::custom::schema {
namespace {

using api::Tree;
using formats::ValueFormat;

// As Go's conversion of a double to int64 does it on amd64.
int64_t AsInteger(double number) {
  return number >= -0x1p63 && number < 0x1p63 ? static_cast<int64_t>(number)
                                              : std::numeric_limits<int64_t>::min();
}

// Whether the number, written out in decimal digits, can be read as an integer of that many bits.
bool IsIntegerOf(const Tree& number, int bits) {
  const double limit = std::ldexp(1.0, bits - 1);
  if (number.is_integer()) {
    if (bits == 64) return true;
    return number.integer() == static_cast<int32_t>(number.integer());
  }
  const double value = number.number();
  if (value != std::trunc(value)) return false;
  // -2^63 is written with fewer digits than it has, and then is less.
  return value < limit && (bits == 64 ? value > -limit : value >= -limit);
}

// Upstream prints numbers with %v.
std::string Printed(int64_t number) {
  return fmt::format("{}", number);
}
std::string Printed(double number) {
  return api::FormatGoDouble(number);
}

bool IsMultiple(int64_t number, int64_t factor) {
  return number % factor == 0;
}
bool IsMultiple(double number, double factor) {
  return IsNearlyWhole(factor < 1 ? 1 / factor * number : number / factor);
}

class NumberChecker {
 public:
  NumberChecker(const Tree& number,
                const NumberRules& rules,
                const api::validation::Path& path,
                std::vector<NumberProblem>* problems)
      : number_(number), rules_(rules), path_(path), problems_(problems) {}

  size_t Run() {
    Fits(number_, "Checked");
    const NumberRange& range = rules_.range;
    if (range.multiple_of) {
      Compare(*range.multiple_of, "MultipleOf", [&](auto number, auto factor) {
        CheckFactor(number, factor);
      });
    }
    if (range.min) {
      Compare(*range.min, "Minimum boundary", [&](auto number, auto limit) {
        CheckMin(number, limit);
      });
    }
    if (range.max) {
      Compare(*range.max, "Maximum boundary", [&](auto number, auto limit) {
        CheckMax(number, limit);
      });
    }
    return found_;
  }

 private:
  // Whether `number` is of the type and format; reports it if not.
  bool Fits(const Tree& number, std::string_view what) {
    const bool is_integer = rules_.type == ValueType::kInteger;
    bool fits = true;
    if (is_integer) {
      fits = IsIntegerOf(number, rules_.format == ValueFormat::kInt32 ? 32 : 64);
    } else if (rules_.format == ValueFormat::kFloat) {
      // From here on rounding to a float gives infinity.
      fits = std::abs(number.number()) < 0x1.ffffffp127;
    }
    if (fits) return true;
    Found([&] {
      const std::string format = rules_.format == ValueFormat::kNone
                                     ? "(default format)"
                                     : fmt::format("with format {}", rules_.format_name);
      return NumberProblem{.is_of_value = false,
                           .shown = "\"\"",
                           .detail = fmt::format("{} value must be of type {} {} in {}",
                                                 what,
                                                 NameOf(rules_.type),
                                                 format,
                                                 path_.ToString())};
    });
    return false;
  }

  // Counts a problem; `make()` returns it where it is asked for.
  template <class F>
  void Found(F make) {
    ++found_;
    if (problems_ != nullptr) problems_->push_back(make());
  }

  // Compares with a limit: integers as integers where the limit fits the type, else doubles.
  template <class F>
  void Compare(double limit, std::string_view what, F compare) {
    const bool fits = Fits(Tree(limit), what);
    if (fits && number_.is_integer()) {
      compare(number_.integer(), AsInteger(limit));
    } else {
      compare(number_.number(), limit);
    }
  }

  template <class T>
  void CheckFactor(T number, T factor) {
    if (factor <= 0) {
      Found([&] {
        return NumberProblem{
            .is_of_value = true,
            .shown = Printed(factor),
            .detail = fmt::format("factor MultipleOf declared for {} must be positive: {}",
                                  path_.ToString(),
                                  Printed(factor))};
      });
    } else if (!IsMultiple(number, factor)) {
      Say(number, "a multiple of", factor);
    }
  }
  template <class T>
  void CheckMin(T number, T limit) {
    const bool excludes = rules_.range.excludes_min;
    if (number > limit || (number == limit && !excludes)) return;
    Say(number, excludes ? "greater than" : "greater than or equal to", limit);
  }
  template <class T>
  void CheckMax(T number, T limit) {
    const bool excludes = rules_.range.excludes_max;
    if (number < limit || (number == limit && !excludes)) return;
    Say(number, excludes ? "less than" : "less than or equal to", limit);
  }

  template <class T>
  void Say(T number, std::string_view should_be, T limit) {
    Found([&] {
      return NumberProblem{
          .is_of_value = true,
          .shown = Printed(number),
          .detail = fmt::format(
              "{} in body should be {} {}", path_.ToString(), should_be, Printed(limit))};
    });
  }

  const Tree& number_;
  const NumberRules& rules_;
  const api::validation::Path& path_;
  std::vector<NumberProblem>* problems_;
  size_t found_ = 0;
};

}  // namespace

bool IsNearlyWhole(double number) {
  constexpr double kMax = 9007199254740991;  // 2^53 - 1
  constexpr double kEpsilon = 1e-9;
  if (!(std::abs(number) <= kMax)) return false;
  const double whole = std::round(number);
  return number == whole || std::abs(number - whole) < kEpsilon * std::abs(whole);
}

size_t CheckNumber(const Tree& number,
                   const NumberRules& rules,
                   const api::validation::Path& path,
                   std::vector<NumberProblem>* problems) {
  return NumberChecker(number, rules, path, problems).Run();
}

}  // namespace dray::custom::schema
