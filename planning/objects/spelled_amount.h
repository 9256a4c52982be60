// SPDX-License-Identifier: Apache-2.0
// Spells computed amounts as the user spelled theirs: "50G" if a manifest has that, not the equal
// "48828125Ki".
#pragma once

#include <initializer_list>

#include "api/value/quantity.h"

namespace dray::planning::inline objects {

/// The same amount, spelled as the equal one of `written` if there is one. Otherwise in the format
/// (12M, 12Mi or 12e6) of the one that makes its text shortest, of equally short ones the first; or
/// in its own format, if that is shorter. Null pointers and zeros in `written` count as absent.
api::Quantity SpelledAs(std::initializer_list<const api::Quantity*> written,
                        const api::Quantity& amount);

}  // namespace dray::planning::inline objects
