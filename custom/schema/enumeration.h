// SPDX-License-Identifier: Apache-2.0
// The values that an `enum` of a schema allows.
#pragma once

#include <string>
#include <vector>

#include "api/value/tree.h"

namespace dray::custom::schema {

/// A set of values. Finding is O(log n) comparisons, whatever the definition lists.
class Enumeration {
 public:
  Enumeration() = default;
  /// `values` in the definition's order.
  explicit Enumeration(std::vector<api::Tree> values);

  /// Without values everything is allowed.
  bool empty() const { return values_.empty(); }
  /// In the definition's order.
  const std::vector<api::Tree>& values() const { return values_; }

  /// Whether upstream takes `value` for one of the values. As Go does it, a number is converted to
  /// the type of each allowed one first: 1.5 passes where the integer 1 is allowed, and the integer
  /// 65 where the text "A" is. null never passes, also where null is allowed.
  bool Allows(const api::Tree& value) const;

  /// The values as messages list them: `"Fast", "Slow"`, cut after kCauseTextMax bytes.
  const std::string& shown() const { return shown_; }

 private:
  bool Has(const api::Tree& value) const;

  std::vector<api::Tree> values_;
  std::vector<api::Tree> sorted_;
  std::string shown_;
};

}  // namespace dray::custom::schema
