// SPDX-License-Identifier: Apache-2.0
// Validation of values by a compiled schema, with the texts and the quirks of kube-openapi's
// validation, which upstream asks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "api/value/tree.h"
#include "base/result.h"
#include "custom/schema/schema.h"

namespace dray::custom::schema {

/// Steps that validating one value may take: a node of the schema at a value, or some bytes of a
/// text at some instructions of its pattern. Only logic (anyOf, …) makes more steps than a value
/// has parts.
inline constexpr uint64_t kValidationStepsMax = uint64_t{1} << 24U;

/// What is wrong with an object of a custom kind: types, formats, ranges, lengths, enumerations,
/// required and forbidden members, patterns, logic. On an update `old` is what was there before:
/// what has not changed is forgiven (custom/schema/correlation.h). `old` is null on create.
///
/// In upstream's order for one value, members by name; equal causes once; at most
/// api::validation::kCausesMax and one. Errors that upstream gives no field have the field "<nil>".
///
/// One walk, and a second one where something is wrong and `old` is there. Linear in the object
/// times the alternatives of the schema's logic, and ended with a cause that says so after
/// `steps_max`. Recursion is bounded by the depth of the schema.
std::vector<ErrorCause> Validate(const api::Tree& object,
                                 const api::Tree* old,
                                 const Schema& schema,
                                 uint64_t steps_max = kValidationStepsMax);

/// The same for a write of the status: only `status` is checked, if it is there, and texts name
/// its members as upstream does, `phase in body must be …`, while fields are whole.
std::vector<ErrorCause> ValidateStatus(const api::Tree& object,
                                       const api::Tree* old,
                                       const Schema& schema);

/// The same for a default of a definition, at `path`. As upstream has it, int-or-string is not
/// checked, formats count whatever the type, and additionalProperties inside logic do not.
std::vector<ErrorCause> ValidateDefault(const Node& node, std::string_view path);

}  // namespace dray::custom::schema
