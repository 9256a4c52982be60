// SPDX-License-Identifier: Apache-2.0
// Mistakes in selectors of requests, classes and constraints.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "api/resource_v1/device_selector.h"
#include "cel/device_names.h"
#include "planning/capacity/device_population.h"
#include "planning/lint/lint_devices.h"
#include "planning/lint/lint_finding.h"

namespace dray::planning::inline lint {

/// `field` is that of the list of selectors. Both arguments must outlive it.
class SelectorLinter {
 public:
  SelectorLinter(LintDevices& devices, FindingList& findings)
      : devices_(devices), findings_(findings) {}

  /// Compiles the selectors. Returns whether all compile.
  bool Compile(const std::string& field,
               std::span<const api::resource_v1::DeviceSelector> selectors);

  /// Checks the names that compiled selectors read. An unknown name is an error if nothing matches.
  void Names(const std::string& field,
             std::span<const api::resource_v1::DeviceSelector> selectors,
             bool match_nothing);

  /// Reports a selector that fails on some of the `asked` devices, unless a finding since `before`
  /// explains the failure.
  void Failures(const std::string& field,
                const DevicePopulation::Choice& choice,
                size_t asked,
                size_t before);

  /// Reports that no device has the name, which the field spells as `written`.
  Finding& UnknownName(std::string field, const cel::DeviceName& name, const std::string& written);

 private:
  void Type(const std::string& field,
            const cel::NamedComparison& comparison,
            const std::string& literal,
            LintSeverity severity);

  LintDevices& devices_;
  FindingList& findings_;
};

}  // namespace dray::planning::inline lint
