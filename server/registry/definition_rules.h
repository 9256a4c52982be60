// SPDX-License-Identifier: Apache-2.0
// What custom/definitions needs of the server.
#pragma once

#include "custom/definitions/requirements.h"

namespace dray::server::registry {

/// The judge of the certificates that conversion webhooks are trusted by.
const custom::definitions::Environment& DefinitionEnvironment();

}  // namespace dray::server::registry
