// SPDX-License-Identifier: Apache-2.0
// Literals of expressions, and the types of the values they are compared with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/device_names.h"
#include "cel/value/value.h"
#include "planning/lint/lint_finding.h"

namespace dray::planning::inline lint {

/// "an int", "a version".
std::string_view KindName(cel::ValueKind kind);

/// As an expression writes it: true, 5, "a100".
std::string LiteralText(const cel::NamedComparison::Literal& literal);

/// Whether a value of that kind can be equal to the literal, or be ordered against it.
bool AreComparable(cel::ValueKind kind, const cel::NamedComparison::Literal& literal);

/// The literal as a value of the kind, as an expression writes it; absent: it has no such value.
std::optional<std::string> AsKind(cel::ValueKind kind,
                                  const cel::NamedComparison::Literal& literal);

/// Fixes that replace the literal by `after`, for each kind of quotes.
std::vector<TextFix> FixesFor(const cel::NamedComparison::Literal& literal,
                              const std::string& after);

}  // namespace dray::planning::inline lint
