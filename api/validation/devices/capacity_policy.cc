// SPDX-License-Identifier: Apache-2.0
// Policies of consumable capacity (KEP-5075): listed amounts, or a range with an optional step.
// Amounts are compared exactly; multiples of a step are counted in whole numbers, since 1.37 in
// thousandths where one of the amounts is a fraction.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <string>

#include <fmt/format.h>

#include "api/resource_v1/slice.h"
#include "api/validation/collections.h"
#include "api/validation/devices/resource_slice.h"
#include "api/validation/value_rules.h"
#include "api/value/quantity.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;

void Refuse(const Path& path, const Quantity& shown, std::string_view why, FieldErrors& errors) {
  errors.Invalid(path, Shown(shown.ToString()), why);
}

// Whether upstream considers the values equal. If it compares fractions, only values with the same
// number of decimal places are equal: 1 and 1000m are different.
bool IsRepeated(const Quantity& a, const Quantity& b, const Profile& profile) {
  if (!profile.Has(Gate::kFractionalCapacityRange)) return a.Value() == b.Value();
  const bool are_whole = a.AsInt64().has_value() && b.AsInt64().has_value();
  return are_whole ? a == b : SameRepresentation(a, b);
}

// Upstream shows a repeated value as a plain number.
std::string ShownNumber(const Quantity& quantity, const Profile& profile) {
  const bool is_whole =
      !profile.Has(Gate::kFractionalCapacityRange) || quantity.AsInt64().has_value();
  return Shown(is_whole ? std::to_string(quantity.Value()) : quantity.ToString());
}

void CheckNotRepeated(const std::vector<Quantity>& values, const Path& path, Findings& out) {
  for (size_t i = 1; i < values.size(); ++i) {
    const auto same = [&](const Quantity& value) {
      return IsRepeated(value, values[i], out.profile);
    };
    if (std::ranges::any_of(values | std::views::take(i), same)) {
      out.written.Duplicate(path.Index(i), ShownNumber(values[i], out.profile));
    }
  }
}

void CheckValidValues(const std::vector<Quantity>& values,
                      const Quantity& default_value,
                      const Quantity& capacity,
                      const Path& path,
                      Findings& out) {
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] < values[i - 1]) {
      Refuse(path.Index(i), values[i], "values must be sorted in ascending order", out.written);
    }
  }
  bool has_default = false;
  const auto check = [&](const Quantity& value, const Path& at) {
    if (value > capacity) {
      Refuse(at,
             value,
             fmt::format("option is larger than capacity value: {}", capacity.ToString()),
             out.written);
    }
    has_default = has_default || value == default_value;
  };
  if (CheckItems(values, kValidValuesMax, Pass::kWritten, path, out, check)) {
    CheckNotRepeated(values, path, out);
  }
  if (!has_default) {
    Refuse(path,
           default_value,
           "default value is not valid according to the requestPolicy",
           out.written);
  }
}

// A range that may be counted in steps.
struct Steps {
  const Quantity& min;
  const Quantity& step;
  const std::optional<Quantity>& max;
  const Quantity& default_value;
};

enum class Unit : uint8_t { kWhole, kMilli };

bool IsFractional(const Quantity& quantity) {
  using Limits = std::numeric_limits<int64_t>;
  const int64_t whole = quantity.Value();
  const bool is_beyond = whole == Limits::max() || whole == Limits::min();
  return !is_beyond && Quantity::FromInt(whole) != quantity;
}

template <class F>
void ForEachBound(const v1::CapacityRequestPolicyRange& range, const Quantity& default_value, F f) {
  f(default_value, "default");
  if (range.min.has_value()) f(*range.min, "min");
  if (range.max.has_value()) f(*range.max, "max");
  if (range.step.has_value()) f(*range.step, "step");
}

// Fractions are counted in thousandths (KEP-5075, 1.37).
Unit UnitOf(const v1::CapacityRequestPolicyRange& range,
            const Quantity& default_value,
            const Profile& profile) {
  if (!profile.Has(Gate::kFractionalCapacityRange)) return Unit::kWhole;
  bool has_fraction = false;
  ForEachBound(range, default_value, [&](const Quantity& bound, std::string_view) {
    has_fraction = has_fraction || IsFractional(bound);
  });
  return has_fraction ? Unit::kMilli : Unit::kWhole;
}

// Whether all bounds are numbers of thousandths.
bool AreMilli(const v1::CapacityRequestPolicyRange& range,
              const Quantity& default_value,
              const Path& path,
              FieldErrors& errors) {
  const size_t before = errors.size();
  ForEachBound(range, default_value, [&](const Quantity& bound, std::string_view name) {
    if (Quantity::FromMilli(bound.MilliValue()) == bound) return;
    Refuse(path.Child(name), bound, "value cannot be represented as a milli value", errors);
  });
  return errors.size() == before;
}

// Whether all bounds can be counted: from zero to the largest whole number.
bool AreCountable(const v1::CapacityRequestPolicyRange& range,
                  const Quantity& default_value,
                  const Path& path,
                  FieldErrors& errors) {
  static const Quantity kMost = Quantity::FromInt(std::numeric_limits<int64_t>::max());
  const size_t before = errors.size();
  ForEachBound(range, default_value, [&](const Quantity& bound, std::string_view name) {
    if (bound.Sign() < 0) {
      Refuse(path.Child(name), bound, "must be greater than or equal to 0", errors);
    } else if (bound > kMost) {
      Refuse(path.Child(name), bound, "must not be larger than 9223372036854775807", errors);
    }
  });
  return errors.size() == before;
}

// Whether `value` is `start` plus a whole number of steps.
bool IsOnStep(const Quantity& value, const Quantity& start, const Quantity& step, Unit unit) {
  const auto count = [&](const Quantity& quantity) {
    return static_cast<__int128>(unit == Unit::kMilli ? quantity.MilliValue() : quantity.Value());
  };
  return (count(value) - count(start)) % count(step) == 0;
}

void CheckOnStep(const Steps& range, Unit unit, const Path& step, FieldErrors& errors) {
  const auto check = [&](const Quantity& bound) {
    if (IsOnStep(bound, range.min, range.step, unit)) return;
    Refuse(step,
           bound,
           fmt::format("value is not a multiple of a given step ({}) from ({})",
                       range.step.ToString(),
                       range.min.ToString()),
           errors);
  };
  check(range.default_value);
  if (range.max.has_value()) check(*range.max);
}

// NOLINTNEXTLINE(readability-function-size): the policy's values, where they stand, where they go
void CheckStep(const v1::CapacityRequestPolicyRange& range,
               const Quantity& default_value,
               const Quantity& capacity,
               Unit unit,
               const Path& path,
               FieldErrors& errors) {
  // The caller has seen `min` and `step`.
  const Steps steps = {
      .min = *range.min, .step = *range.step, .max = range.max, .default_value = default_value};
  const Path step = path.Child("step");
  // Upstream divides by zero up to 1.36, and takes steps backwards.
  const bool is_forward = errors.Since(37) ? steps.step.Sign() > 0 : steps.step.Value() != 0;
  if (!is_forward) {
    Refuse(step, steps.step, "must be greater than zero", errors);
    return;
  }
  const Quantity first = steps.min + steps.step;
  if (first > capacity) {
    Refuse(
        step,
        steps.step,
        fmt::format(
            "one step {} is larger than capacity value: {}", first.ToString(), capacity.ToString()),
        errors);
  }
  const bool is_checked = errors.Since(37) && unit == Unit::kWhole;
  if (is_checked && !AreCountable(range, default_value, path, errors)) return;
  CheckOnStep(steps, unit, step, errors);
}

void CheckValidRange(const v1::CapacityRequestPolicyRange& range,
                     const Quantity& default_value,
                     const Quantity& capacity,
                     const Path& path,
                     Findings& out) {
  FieldErrors& errors = out.written;
  if (!range.min.has_value()) {
    errors.Required(path.Child("min"), "required when validRange is defined");
    return;
  }
  const auto refuse = [&](std::string_view name,
                          const Quantity& shown,
                          std::string_view why,
                          const Quantity& limit) {
    Refuse(path.Child(name), shown, fmt::format("{}: {}", why, limit.ToString()), errors);
  };
  // Up to 1.36 a default outside of the range was the fault of the bound.
  const bool names_default = out.Since(37);
  if (*range.min > capacity) {
    refuse("min", *range.min, "min is larger than capacity value", capacity);
  }
  if (default_value < *range.min) {
    refuse(
        names_default ? "default" : "min", default_value, "default is less than min", *range.min);
  }
  if (range.max.has_value()) {
    if (*range.min > *range.max) refuse("max", *range.min, "min is larger than max", *range.max);
    if (*range.max > capacity) {
      refuse("max", *range.max, "max is larger than capacity value", capacity);
    }
    if (default_value > *range.max) {
      refuse(
          names_default ? "default" : "max", default_value, "default is more than max", *range.max);
    }
  }
  const Unit unit = UnitOf(range, default_value, out.profile);
  if (unit == Unit::kMilli && !AreMilli(range, default_value, path, errors)) return;
  if (range.step.has_value()) CheckStep(range, default_value, capacity, unit, path, errors);
}

}  // namespace

void CheckCapacityPolicy(const v1::DeviceCapacity& capacity, const Path& path, Findings& out) {
  // Only capacities with a policy come here.
  const v1::CapacityRequestPolicy& policy = *capacity.request_policy;
  const bool has_values = !policy.valid_values.empty();
  const bool has_range = policy.valid_range.has_value();
  if (has_values && has_range) {
    out.written.Forbidden(path,
                          "exactly one policy can be specified, cannot specify \"validValues\" and "
                          "\"validRange\" at the same time");
    return;
  }
  if (!has_values && !has_range) return;
  if (!policy.default_.has_value()) {
    out.written.Required(path.Child("default"),
                         has_values ? "required when validValues is defined"
                                    : "required when validRange is defined");
  } else if (has_values) {
    CheckValidValues(
        policy.valid_values, *policy.default_, capacity.value, path.Child("validValues"), out);
  } else {
    CheckValidRange(
        *policy.valid_range, *policy.default_, capacity.value, path.Child("validRange"), out);
  }
}

}  // namespace dray::api::validation::inline devices
