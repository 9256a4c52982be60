// SPDX-License-Identifier: Apache-2.0
// Mistakes in what drivers publish: devices, counters, names.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "api/resource_v1/slice.h"
#include "planning/lint/lint_devices.h"
#include "planning/lint/lint_finding.h"

namespace dray::planning::inline lint {

/// A driver repeats a mistake in each of its slices, so a finding about a name is reported once.
/// Both arguments must outlive it.
class SliceLinter {
 public:
  SliceLinter(const LintDevices& devices, FindingList& findings)
      : devices_(devices), findings_(findings) {}

  /// O(devices, their attributes and counters); the first slice of a pool also pays for the whole
  /// pool.
  void LookAt(const api::resource_v1::ResourceSlice& slice);

 private:
  /// Counters of a pool, by "set/counter".
  struct PoolCounters {
    std::set<std::string, std::less<>> declared, drawn;
    bool is_whole = false;  // the input has all slices of the newest generation
  };

  struct Problem {
    LintRule rule;
    std::string_view driver;
    std::string_view subject = {};  // of the driver
  };

  /// Null if the same was reported before.
  Finding* ReportOnce(const Problem& problem,
                      std::string field,
                      std::string why,
                      std::string advice);
  void DriverName(const std::string& driver);
  void Device(const std::string& field,
              const std::string& driver,
              const api::resource_v1::Device& device);
  void Name(const std::string& field, const std::string& driver, const std::string& name);
  const PoolCounters& CountersOf(const api::resource_v1::ResourceSlice& slice);
  void Declared(const api::resource_v1::ResourceSlice& slice, const PoolCounters& counters);
  void Drawn(const api::resource_v1::ResourceSlice& slice, const PoolCounters& counters);

  const LintDevices& devices_;
  FindingList& findings_;
  std::set<std::tuple<LintRule, std::string, std::string>> said_;
  std::map<std::pair<std::string, std::string>, PoolCounters> pools_;  // by driver and name
};

}  // namespace dray::planning::inline lint
