// SPDX-License-Identifier: Apache-2.0
#include "server/registry/defined_kinds.h"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "custom/definitions/conditions.h"
#include "custom/definitions/lifecycle.h"
#include "server/registry/definition_rules.h"

namespace dray::server::registry {

namespace definitions = custom::definitions;

Result<> DefinedKinds::Add(api::apiextensions_v1::CustomResourceDefinition definition,
                           WallTime now) {
  definitions::UsedNames& used = used_[definition.spec.group];
  used.Add(definition.status.accepted_names);
  while (auto next = definitions::NextStatus(definition, used, now, DefinitionEnvironment())) {
    used.Remove(definition.status.accepted_names);
    used.Add(next->status.accepted_names);
    definition = *std::move(next);
  }
  if (!definitions::IsServed(definition)) {
    const definitions::Condition* condition =
        definitions::FindCondition(definition, definitions::kNamesAccepted);
    return Fail(StatusReason::kConflict, condition == nullptr ? "" : condition->message);
  }
  if (kinds_.Serve(
          OutlineOf(std::make_shared<const api::apiextensions_v1::CustomResourceDefinition>(
              std::move(definition)))))
    return {};
  return Fail(StatusReason::kTooManyRequests,
              fmt::format("there are more than {} custom kinds", api::CustomKindArena::kKindsMax));
}

}  // namespace dray::server::registry
