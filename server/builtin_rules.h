// SPDX-License-Identifier: Apache-2.0
// The rules of the built-in kinds: defaults, admission and validation of the layer api, with device
// selectors compiled by cel.
#pragma once

#include "server/validation.h"

namespace dray::server {

/// Rules for every kind of the scheme that has any. Functions in it are safe from any thread.
RuleBook BuiltinRules();

}  // namespace dray::server
