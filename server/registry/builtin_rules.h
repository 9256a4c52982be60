// SPDX-License-Identifier: Apache-2.0
// The rules of the built-in kinds: defaults, admission and validation of the layer api, with device
// selectors compiled by cel.
#pragma once

#include "server/registry/served_kinds.h"
#include "server/registry/validation.h"

namespace dray::server::registry {

/// Rules for every kind of the scheme that has any, as the release and the gates of `emulation`
/// have them: without a release, the structured kinds follow 1.37 and the classic ones 1.30.
/// Functions in it are safe from any thread.
RuleBook BuiltinRules(const Emulation& emulation = {});

}  // namespace dray::server::registry
