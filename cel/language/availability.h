// SPDX-License-Identifier: Apache-2.0
// Which environments have a function or macro.
#pragma once

#include "api/release.h"
#include "cel/language/environment.h"

namespace dray::cel::inline language {

/// The releases that declare a function or macro, for stored and for new expressions. New
/// expressions of release n have the environment of the release before, so they often get it one
/// release later.
struct Availability {
  api::Releases stored;
  api::Releases fresh;

  constexpr bool Has(const Environment& environment) const {
    return (environment.use == ExpressionUse::kStored ? stored : fresh).Rules(environment.rules());
  }
};

}  // namespace dray::cel::inline language
