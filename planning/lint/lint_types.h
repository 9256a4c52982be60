// SPDX-License-Identifier: Apache-2.0
// Literals of expressions and the types of what they are compared with.
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

/// Whether a value of that kind can equal, or be ordered against, the literal.
bool AreComparable(cel::ValueKind kind, const cel::NamedComparison::Literal& literal);

/// The literal as a value of the kind, as an expression writes it; nothing when it is none.
std::optional<std::string> AsKind(cel::ValueKind kind,
                                  const cel::NamedComparison::Literal& literal);

/// Ways to put `after` where the literal stands, in whichever quotes.
std::vector<TextFix> FixesFor(const cel::NamedComparison::Literal& literal,
                              const std::string& after);

}  // namespace dray::planning::inline lint
