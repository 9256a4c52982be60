// SPDX-License-Identifier: Apache-2.0
// Converts selectors in objects.
#pragma once

#include <string>
#include <string_view>

#include "api/meta_v1/label_selector.h"
#include "api/selectors/label_selector.h"
#include "api/value/map.h"
#include "base/result.h"

namespace dray::api::inline selectors {

/// Compiles `selector`. Errors: as LabelSelector::FromParts.
Result<LabelSelector> SelectorOf(const meta_v1::LabelSelector& selector);

/// Labels or a plain selector as text: "a=b,c=d".
std::string LabelsText(const Map<std::string>& labels);

}  // namespace dray::api::inline selectors
