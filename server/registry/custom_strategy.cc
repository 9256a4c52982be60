// SPDX-License-Identifier: Apache-2.0
// What the server decides about objects of custom kinds.
#include <span>
#include <vector>

#include "api/custom_kind.h"
#include "server/registry/custom_version.h"
#include "server/registry/more_strategies.h"

namespace dray::server::registry {
namespace {

constexpr Strategy kCustom = {.type = &api::TypeOf<api::CustomObject>};

constexpr Strategy kCustomStrategies[] = {kCustom};

}  // namespace

std::span<const Strategy> CustomStrategies() {
  return kCustomStrategies;
}

}  // namespace dray::server::registry
