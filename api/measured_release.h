// SPDX-License-Identifier: Apache-2.0
// The releases whose answers were measured.
#pragma once

#include "api/release.h"

namespace dray::api {

/// Whether upstream's answers of the release were measured. For releases before 1.30 only the kinds
/// and fields are known; Dray uses the rules of 1.30 for them.
constexpr bool IsMeasured(Release release) {
  return release == Release::kAny || release >= Release::k1_30;
}

}  // namespace dray::api
