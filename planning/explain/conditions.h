// SPDX-License-Identifier: Apache-2.0
// The demands of a class and a request on a device, split into conjuncts that must all hold, so
// that an explanation can name the one that fails, and what the device has instead.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/rules/plan.h"
#include "api/resource_v1/device_selector.h"
#include "cel/device.h"
#include "cel/device_activation.h"
#include "cel/device_names.h"
#include "cel/selector.h"
#include "cel/selector_cache.h"

namespace dray::planning::inline explain {

/// One conjunct of a selector.
struct Condition {
  bool of_class = false;
  size_t selector = 0;                      // the index of its selector in class or request
  std::string text;                         // on one line
  std::optional<cel::Selector> part = {};   // absent: the selector does not compile
  std::vector<cel::DeviceName> names = {};  // that it reads
};

/// The selectors of one way to satisfy a request.
class Conditions {
 public:
  /// A selector that does not compile becomes a condition that fails with that error, because the
  /// allocator compiles a selector only when it reaches it.
  static Conditions Of(const allocator::rules::Criteria& criteria, cel::SelectorCache& selectors);

  /// A condition that a device does not meet.
  struct Unmet {
    size_t condition = 0;    // in all()
    std::string error = {};  // why the evaluation failed; empty: it is false
  };
  /// The first in the allocator's order: for a false selector its first false conjunct, for a
  /// failing selector the first that fails. Absent: all hold.
  std::optional<Unmet> FirstUnmet(const cel::DeviceActivation& device) const;

  const std::vector<Condition>& all() const { return all_; }

 private:
  struct Whole {
    std::optional<cel::Selector> selector = {};
    std::string error = {};      // why there is none
    size_t first = 0, last = 0;  // its conjuncts; one past the end
  };

  void Add(const api::resource_v1::DeviceSelector& selector,
           bool of_class,
           size_t place,
           cel::SelectorCache& selectors);

  std::vector<Whole> wholes_;
  std::vector<Condition> all_;
};

/// The device's value of the name as users write it: 40Gi, "a100", true; kNoValue if it has none.
inline constexpr std::string_view kNoValue = "none";
std::string ValueText(const cel::Device& device, const cel::DeviceName& name);

}  // namespace dray::planning::inline explain
