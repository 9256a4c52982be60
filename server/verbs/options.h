// SPDX-License-Identifier: Apache-2.0
// What whoever builds the verbs decides about them.
#pragma once

#include "api/release.h"
#include "server/registry/rule_set.h"

namespace dray::server::verbs {

struct Options {
  /// Names that are tried before a create with generateName gives up.
  int generate_name_tries = 8;
  registry::RuleSet rules = registry::RuleSet();
  /// Off as upstream: a status may allocate what another claim has.
  bool exclusive_devices = true;
  /// Whose shapes clients read and write; kAny: those of every release.
  api::Release release = api::Release::kAny;
};

}  // namespace dray::server::verbs
