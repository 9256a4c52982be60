// SPDX-License-Identifier: Apache-2.0
// Names of attributes and capacities: which an expression reads and which a device has.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cel/check/checked_ast.h"
#include "cel/device.h"

namespace dray::cel {

enum class DeviceSection : uint8_t { kAttributes, kCapacity };

/// device.attributes["domain"].id or device.capacity["domain"].id.
struct DeviceName {
  DeviceSection section = DeviceSection::kAttributes;
  std::string domain;
  std::string id;
  auto operator<=>(const DeviceName&) const = default;

  /// As an expression writes it.
  std::string ToExpression() const;
};

/// The names that `checked` reads or tests for (has, in, .?), each once, in the order of the tree.
/// Finds names that are written as constants, also through cel.bind, optMap, orValue and value;
/// computed names (device.attributes[x]) are not found. O(nodes).
std::vector<DeviceName> NamesIn(const check::CheckedAst& checked);

/// Those of them that it tests for.
std::vector<DeviceName> TestedNamesIn(const check::CheckedAst& checked);

/// `name == literal`, `literal < name`, `name in [literal, …]`: one for each literal.
struct NamedComparison {
  using Literal = std::variant<bool, int64_t, double, std::string>;
  DeviceName name;
  Literal literal;
};

/// The comparisons of names, as NamesIn finds them, with literals: ==, !=, <, <=, >, >= and in.
/// Those with null, bytes and unsigned numbers are left out. O(nodes).
std::vector<NamedComparison> ComparisonsIn(const check::CheckedAst& checked);

/// All names of `device`; a name without a domain has the driver's.
std::vector<DeviceName> NamesOf(const Device& device);

}  // namespace dray::cel
