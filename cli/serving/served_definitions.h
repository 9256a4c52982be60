// SPDX-License-Identifier: Apache-2.0
// Waits for the kinds of CustomResourceDefinitions.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "api/live_scheme.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"

namespace dray::cli::inline serving {

/// The longest wait: a server of this process takes milliseconds.
inline constexpr std::chrono::seconds kServedWithin{60};

struct AwaitedDefinition {
  std::string name;                   // widgets.example.com
  std::string place;                  // FILE:LINE
  std::function<bool()> is_stopping;  // whether to give up waiting
};

/// Waits until the definition is Established and `scheme`, that of the server, has its kinds. Woken
/// by a watch and by the scheme.
///
/// Errors: kConflict  its names are not accepted, with its place. kTimeout  kServedWithin is
/// over. kServiceUnavailable  `is_stopping`. Those of the client.
Result<> WaitUntilServed(client::Client& client,
                         const api::LiveScheme& scheme,
                         Clock& clock,
                         const AwaitedDefinition& awaited);

}  // namespace dray::cli::inline serving
