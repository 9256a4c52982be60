// SPDX-License-Identifier: Apache-2.0
// Which releases' answers were measured.
#pragma once

#include "api/release.h"

namespace dray::api {

/// Whether upstream's answers of the release were measured. Of those before 1.30 the kinds and
/// fields are known; their rules are taken to be those of 1.30.
constexpr bool IsMeasured(Release release) {
  return release == Release::kAny || release >= Release::k1_30;
}

}  // namespace dray::api
