// SPDX-License-Identifier: Apache-2.0
// Policies of consumable capacity (KEP-5075): listed amounts, or a range with an optional step.
// Amounts are compared exactly; multiples of a step are counted in thousandths.
#include <algorithm>
#include <cstdint>
#include <ranges>
#include <string>

#include <fmt/format.h>

#include "api/quantity.h"
#include "api/validation/resource_slice.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation {
namespace {

namespace v1 = resource_v1;

void Refuse(const Path& path, const Quantity& shown, std::string_view why, FieldErrors& errors) {
  errors.Invalid(path, Shown(shown.ToString()), why);
}

void CheckValidValues(const v1::CapacityRequestPolicy& policy,
                      const Quantity& capacity,
                      const Path& path,
                      FieldErrors& errors) {
  const std::vector<Quantity>& values = policy.valid_values;
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] < values[i - 1]) {
      Refuse(path.Index(i), values[i], "values must be sorted in ascending order", errors);
    }
  }
  bool has_default = false;
  if (IsWithin(values.size(), kValidValuesMax, path, errors)) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] > capacity) {
        Refuse(path.Index(i),
               values[i],
               fmt::format("option is larger than capacity value: {}", capacity.ToString()),
               errors);
      }
      has_default = has_default || (policy.default_.has_value() && values[i] == *policy.default_);
    }
    // Upstream compares representations: 1 and 1000m may stand beside each other.
    for (size_t i = 1; i < values.size(); ++i) {
      const auto same = [&](const Quantity& value) { return SameRepresentation(value, values[i]); };
      if (std::ranges::any_of(values | std::views::take(i), same)) {
        errors.Duplicate(path.Index(i), Shown(values[i].ToString()));
      }
    }
  }
  if (!has_default && policy.default_.has_value()) {
    Refuse(path,
           *policy.default_,
           "default value is not valid according to the requestPolicy",
           errors);
  }
}

// Whether `value` is `start` plus a whole number of steps. Beyond int64 thousandths saturate.
bool IsOnStep(const Quantity& value, const Quantity& start, const Quantity& step) {
  const auto distance = static_cast<__int128>(value.MilliValue()) - start.MilliValue();
  return distance % step.MilliValue() == 0;
}

// A range that is counted in steps.
struct Steps {
  const Quantity& min;
  const Quantity& step;
  const std::optional<Quantity>& max;
  const std::optional<Quantity>& default_value;
};

// Nothing below zero can be counted in steps.
bool AreBoundsCountable(const Steps& range, const Path& path, FieldErrors& errors) {
  const size_t before = errors.size();
  if (range.step.Sign() <= 0) {
    Refuse(path.Child("step"), range.step, "must be greater than zero", errors);
  }
  const auto check = [&](const Quantity& bound, std::string_view name) {
    if (bound.Sign() < 0) {
      Refuse(path.Child(name), bound, "must be greater than or equal to 0", errors);
    }
  };
  check(range.min, "min");
  if (range.max.has_value()) check(*range.max, "max");
  if (range.default_value.has_value()) check(*range.default_value, "default");
  return errors.size() == before;
}

void CheckStep(const Steps& range,
               const Quantity& capacity,
               const Path& path,
               FieldErrors& errors) {
  if (!AreBoundsCountable(range, path, errors)) return;
  const Path step = path.Child("step");
  const Quantity first = range.min + range.step;
  if (first > capacity) {
    Refuse(
        step,
        range.step,
        fmt::format(
            "one step {} is larger than capacity value: {}", first.ToString(), capacity.ToString()),
        errors);
  }
  for (const std::optional<Quantity>* bound : {&range.default_value, &range.max}) {
    if (!bound->has_value() || IsOnStep(**bound, range.min, range.step)) continue;
    Refuse(step,
           **bound,
           fmt::format("value is not a multiple of a given step ({}) from ({})",
                       range.step.ToString(),
                       range.min.ToString()),
           errors);
  }
}

void CheckValidRange(const v1::CapacityRequestPolicyRange& range,
                     const std::optional<Quantity>& default_value,
                     const Quantity& capacity,
                     const Path& path,
                     FieldErrors& errors) {
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
  if (*range.min > capacity) {
    refuse("min", *range.min, "min is larger than capacity value", capacity);
  }
  if (default_value.has_value() && *default_value < *range.min) {
    refuse("default", *default_value, "default is less than min", *range.min);
  }
  if (range.max.has_value()) {
    if (*range.min > *range.max) refuse("max", *range.min, "min is larger than max", *range.max);
    if (*range.max > capacity) {
      refuse("max", *range.max, "max is larger than capacity value", capacity);
    }
    if (default_value.has_value() && *default_value > *range.max) {
      refuse("default", *default_value, "default is more than max", *range.max);
    }
  }
  if (!range.step.has_value()) return;
  CheckStep(
      {.min = *range.min, .step = *range.step, .max = range.max, .default_value = default_value},
      capacity,
      path,
      errors);
}

}  // namespace

void CheckCapacityPolicy(const v1::DeviceCapacity& capacity, const Path& path, Findings& out) {
  if (!capacity.request_policy.has_value()) return;
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
  }
  if (has_values) {
    CheckValidValues(policy, capacity.value, path.Child("validValues"), out.written);
  } else if (policy.valid_range.has_value()) {
    CheckValidRange(*policy.valid_range,
                    policy.default_,
                    capacity.value,
                    path.Child("validRange"),
                    out.written);
  }
}

}  // namespace dray::api::validation
