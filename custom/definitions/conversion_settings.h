// SPDX-License-Identifier: Apache-2.0
// Rules for how objects are converted between versions.
#pragma once

#include <string>

#include "api/apiextensions_v1.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "api/value/list.h"
#include "custom/definitions/requirements.h"

namespace dray::custom::definitions {

void CheckConversion(const api::apiextensions_v1::CustomResourceConversion& conversion,
                     const Requirements& required,
                     const api::validation::Path& path,
                     api::validation::FieldErrors& errors);

/// Whether the server could talk to a webhook that understands these versions of ConversionReview,
/// or none is named.
bool HasKnownReviewVersion(const api::apiextensions_v1::CustomResourceConversion& conversion);

/// The certificates of the webhook, in PEM; empty if there are none.
const std::string& CaBundleOf(const api::apiextensions_v1::CustomResourceDefinition& definition);

}  // namespace dray::custom::definitions
