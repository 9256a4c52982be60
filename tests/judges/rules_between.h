// SPDX-License-Identifier: Apache-2.0
// The rules about several devices together: users of a device, counters, groups, capacity,
// constraints, the limit of a claim. Each rule is checked on the whole set of devices from scratch,
// without incremental steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/resource_v1/device_request.h"
#include "api/value/quantity.h"
#include "tests/judges/question.h"

namespace dray::judges {

/// A device taken for a request.
struct Taken {
  size_t want;    // in Question::wants
  size_t way;     // in Want::ways
  size_t device;  // in SeenPools::devices
};

/// A device's attribute as a constraint sees it.
struct Attribute {
  enum class State : uint8_t { kMissing, kNotComparable, kComparable, kError };
  State state = State::kMissing;
  char type = 0;  // i, b, s, v
  std::set<std::string> values = {};
};

class RulesBetween {
 public:
  /// `question` must outlive this. Evaluates derived attributes.
  explicit RulesBetween(const Question& question);

  /// The first rule that the devices break, or empty. They must be in the order of wants, and
  /// within a want in the order of devices. Every shorter prefix must obey the rules, which is true
  /// if this function returned empty for it.
  std::string Broken(std::span<const Taken> taken) const;

  /// Why an allocator that obeys the rules may still end with an error here; empty: it cannot.
  std::string Doubt() const;

 private:
  using CounterName = std::pair<std::string, std::string>;  // set and counter
  /// The allocations of a pool at the start.
  struct PoolBooks {
    std::map<CounterName, api::Quantity> available;
    std::map<std::string, std::vector<std::vector<std::string>>> groups;  // of users, by set
  };
  struct ConstraintView {
    size_t claim;
    bool is_match;
    // By want, way and device; absent: the constraint does not cover the way.
    std::vector<std::vector<std::optional<std::vector<Attribute>>>> attributes;
  };

  const Way& way(const Taken& taken) const { return question_.wants[taken.want].ways[taken.way]; }
  const SeenDevice& seen(const Taken& taken) const { return question_.seen.devices[taken.device]; }
  size_t claim(const Taken& taken) const { return question_.wants[taken.want].claim; }
  bool is_shareable(const Taken& taken) const {
    return question_.is_shareable(*seen(taken).device);
  }

  PoolBooks Open(const SeenPool& pool) const;
  ConstraintView View(size_t claim, const api::resource_v1::DeviceConstraint& constraint) const;
  std::vector<Attribute> Attributes(const Way& way, const std::string& name) const;

  std::vector<Taken> PayingFor(std::span<const Taken> taken, size_t pool) const;
  bool UsersClash(std::span<const Taken> taken) const;
  bool CountersFall(std::span<const Taken> taken) const;
  bool GroupsClash(std::span<const Taken> taken) const;
  bool CapacityFalls(std::span<const Taken> taken) const;
  bool ConstraintFails(const ConstraintView& constraint, std::span<const Taken> taken) const;
  bool ClaimIsTooLarge(std::span<const Taken> taken) const;

  const Question& question_;
  std::vector<PoolBooks> books_;  // by pool
  std::vector<ConstraintView> constraints_;
};

}  // namespace dray::judges
