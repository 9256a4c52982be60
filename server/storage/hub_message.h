// SPDX-License-Identifier: Apache-2.0
// The durable form of an object as a message of its hub, of which parts can be read alone.
#pragma once

#include <optional>
#include <string_view>

#include "api/kind.h"
#include "base/result.h"

namespace dray::server::storage {

/// The message within `bytes`, a durable form. Nothing where that is JSON, or of another version
/// than `hub`. O(1).
///
/// Errors: kBadRequest  a broken envelope.
Result<std::optional<std::string_view>> HubMessage(const api::KindInfo& hub,
                                                   std::string_view bytes);

}  // namespace dray::server::storage
