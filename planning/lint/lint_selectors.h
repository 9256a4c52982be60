// SPDX-License-Identifier: Apache-2.0
// What is wrong with selectors: of requests, classes and constraints.
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

/// `field` is that of the list of selectors. Both arguments outlive it.
class SelectorLinter {
 public:
  SelectorLinter(LintDevices& devices, FindingList& findings)
      : devices_(devices), findings_(findings) {}

  /// Whether all compile.
  bool Compile(const std::string& field,
               std::span<const api::resource_v1::DeviceSelector> selectors);

  /// What selectors that compile read. It is an error where they match nothing.
  void Names(const std::string& field,
             std::span<const api::resource_v1::DeviceSelector> selectors,
             bool match_nothing);

  /// A selector that has no answer on some of the `asked` devices, unless what was found since
  /// `before` says why.
  void Failures(const std::string& field,
                const DevicePopulation::Choice& choice,
                size_t asked,
                size_t before);

  /// That no device has the name, which the field spells as `written`.
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
