// SPDX-License-Identifier: Apache-2.0
// What class and request demand of a device, cut into the parts that must all hold: so that for a
// device that is kept out one part can be named, and what the device has instead.
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
  size_t selector = 0;                      // its place among those of class or request
  std::string text;                         // on one line
  std::optional<cel::Selector> part = {};   // nothing: the selector does not compile
  std::vector<cel::DeviceName> names = {};  // that it reads
};

/// The selectors of one way to satisfy a request.
class Conditions {
 public:
  /// A selector that does not compile is a condition that fails with that error: the allocator
  /// compiles one only when it gets there.
  static Conditions Of(const allocator::rules::Criteria& criteria, cel::SelectorCache& selectors);

  /// A condition that keeps a device out.
  struct Unmet {
    size_t condition = 0;    // in all()
    std::string error = {};  // why there is no answer; empty: the answer is no
  };
  /// The first one in the order in which the allocator asks: of a selector that says no the first
  /// conjunct that does, of one that fails the first that fails. Nothing: all hold.
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

/// What the device has under the name, as people write it: 40Gi, "a100", true; kNoValue when it is
/// not there.
inline constexpr std::string_view kNoValue = "none";
std::string ValueText(const cel::Device& device, const cel::DeviceName& name);

}  // namespace dray::planning::inline explain
