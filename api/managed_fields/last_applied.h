// SPDX-License-Identifier: Apache-2.0
// The annotation in which kubectl's client-side apply keeps its last configuration, and the
// transfer of its fields to server-side apply.
#pragma once

#include <string_view>

#include "api/codec/json_tree.h"
#include "api/kind.h"
#include "api/managed_fields/field_set.h"
#include "api/meta_v1/object_meta.h"
#include "api/object.h"
#include "api/reflect.h"

namespace dray::api::managed_fields {

/// The manager whose applies use the annotation.
inline constexpr std::string_view kKubectl = "kubectl";

/// The fields that were applied last and that `live`, whose document is `document`, still has with
/// the same value. Empty if there is no annotation, or none that fits the kind.
FieldSet FieldsOfLastApplied(const KindInfo& kind,
                             const Object& live,
                             const JsonTree& document,
                             Wire wire);

/// Puts `config` into the annotation, if there is one; drops it when all annotations together would
/// become too large.
void RefreshLastApplied(const JsonTree& config, meta_v1::ObjectMeta& metadata);

}  // namespace dray::api::managed_fields
