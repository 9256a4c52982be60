// SPDX-License-Identifier: Apache-2.0
// Computed amounts as users wrote theirs: "50G" where that is how it stands in a manifest, not the
// equal "48828125Ki".
#pragma once

#include <initializer_list>

#include "api/value/quantity.h"

namespace dray::planning::inline objects {

/// The same amount, spelled as the one of `written` that equals it; else in the way (12M, 12Mi or
/// 12e6) of the one that makes its text shortest, of equally short ones the first; else in its own,
/// where that is shorter. Null pointers and zeros in `written` count as absent.
api::Quantity SpelledAs(std::initializer_list<const api::Quantity*> written,
                        const api::Quantity& amount);

}  // namespace dray::planning::inline objects
