// SPDX-License-Identifier: Apache-2.0
// Rules for the parts that claims, classes and slices share: selectors, opaque configuration,
// tolerations, taints, binding conditions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource_v1/device_selector.h"
#include "api/resource_v1/device_taint.h"
#include "api/validation/expression_checker.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {

inline constexpr size_t kSelectorsMax = 32;
inline constexpr size_t kConfigsMax = 32;
inline constexpr size_t kParametersBytesMax = 10240;
inline constexpr size_t kBindingConditionsMax = 4;

/// `checker` null: expressions are not compiled, only measured.
void CheckSelectors(const std::vector<resource_v1::DeviceSelector>& selectors,
                    Origin origin,
                    const ExpressionChecker* checker,
                    const Path& path,
                    Findings& out);

/// One CEL expression. Returns its estimated cost, 0 if it has none.
uint64_t CheckExpression(const Expression& expression,
                         const ExpressionChecker* checker,
                         const Path& path,
                         FieldErrors& errors);

/// `path` is that of the entry whose member is `opaque`.
void CheckConfiguration(const resource_v1::DeviceConfiguration& configuration,
                        Origin origin,
                        const Path& path,
                        Findings& out);

void CheckTolerations(const std::vector<resource_v1::DeviceToleration>& tolerations,
                      const Path& path,
                      Findings& out);

/// `old` is null for a new taint. An unchanged effect is not checked.
void CheckTaint(const resource_v1::DeviceTaint& taint,
                const resource_v1::DeviceTaint* old,
                const Path& path,
                Findings& out);

/// Both lists, members of the device or result at `path` (KEP-5007).
void CheckBindingConditions(const List<std::string>& conditions,
                            const List<std::string>& failure_conditions,
                            const Path& path,
                            Findings& out);

/// `path` is that of the list.
void CheckSkippedOperations(const List<std::string>& operations, const Path& path, Findings& out);

}  // namespace dray::api::validation::inline devices
