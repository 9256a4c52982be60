// SPDX-License-Identifier: Apache-2.0
// Rules for single values that several kinds share: labels, raw JSON, node selectors, conditions;
// names have a file of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/node_selector.h"
#include "api/meta_v1/condition.h"
#include "api/meta_v1/label_selector.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "api/validation/name_rules.h"  // IWYU pragma: export
#include "api/validation/origin.h"
#include "api/value/raw_json.h"

namespace dray::api::validation {

inline constexpr size_t kConditionReasonMax = 1024;
inline constexpr size_t kConditionMessageMax = 32768;

/// Checks that it is a JSON object of at most `bytes_max` bytes, and present.
void CheckRawObject(
    const RawJson& value, size_t bytes_max, Origin origin, const Path& path, FieldErrors& errors);

/// Checks that there is at least one term, with valid requirements in all of them.
void CheckNodeSelector(const core_v1::NodeSelector& selector,
                       const Path& path,
                       FieldErrors& errors);

/// Checks the requirements of one term.
void CheckNodeSelectorTerm(const core_v1::NodeSelectorTerm& term,
                           const Path& path,
                           FieldErrors& errors);

/// Checks the requirements, if the selector is present.
void CheckLabelSelector(const Maybe<meta_v1::LabelSelector>& selector,
                        const Path& path,
                        FieldErrors& errors);

/// Types occur once, and every condition is complete (KEP-1623).
void CheckConditions(std::span<const meta_v1::Condition> conditions,
                     const Path& path,
                     FieldErrors& errors);

/// Keys and values of labels, at `path`.
void CheckLabels(const Map<std::string>& labels, const Path& path, FieldErrors& errors);
/// Keys and total size of annotations, at `path`.
void CheckAnnotations(const Map<std::string>& annotations, const Path& path, FieldErrors& errors);

/// An address with prefix length, written the canonical way; bits of the host may be set.
void CheckInterfaceAddress(std::string_view value, const Path& path, FieldErrors& errors);

/// Returns whether `count` is within `max`; if not, adds an error to `errors`.
bool IsWithin(size_t count, size_t max, const Path& path, FieldErrors& errors);

/// Reports each duplicate string.
void CheckDistinctStrings(const std::vector<std::string>& items,
                          const Path& path,
                          FieldErrors& errors);

}  // namespace dray::api::validation
