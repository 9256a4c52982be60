// SPDX-License-Identifier: Apache-2.0
#include "server/registry/definition_rules.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "api/apiextensions_v1.h"
#include "custom/definitions/definitions.h"
#include "custom/definitions/lifecycle.h"
#include "custom/definitions/names.h"
#include "custom/definitions/warnings.h"
#include "net/tls/openssl.h"
#include "server/registry/metadata_rules.h"
#include "server/registry/more_strategies.h"
#include "server/registry/rules_of.h"

namespace dray::server::registry {
namespace {

namespace definitions = custom::definitions;
using api::apiextensions_v1::CustomResourceDefinition;

// In the words of client-go.
Result<> CheckCaBundle(std::string_view pem) {
  if (net::tls::ParseCertificates(pem).has_value()) return {};
  const std::string_view why = pem.contains("-----BEGIN ")
                                   ? "no valid certificate authority data seen"
                                   : "unable to parse bytes as PEM block";
  return Fail(StatusReason::kInvalid, fmt::format("unable to load root certificates: {}", why));
}

void PrepareNewDefinition(api::Object& object) {
  definitions::PrepareNew(object.Mutable<CustomResourceDefinition>());
}

void PrepareDefinition(api::Object& object,
                       const api::Object& /*old*/,
                       WallTime /*now*/,
                       const api::Profile& /*profile*/) {
  definitions::PrepareChange(object.Mutable<CustomResourceDefinition>());
}

// The server deletes the objects first, and begins with the first DELETE.
bool DefinitionIsHeld(const api::Object& object) {
  return !object.metadata().deletion_timestamp.has_value();
}

// Marks it at the first DELETE. Upstream updates the status for this, which changes neither the
// generation nor the seconds of grace.
void MarkDefinition(api::Object& object) {
  auto& definition = object.Mutable<CustomResourceDefinition>();
  const bool is_marked = std::ranges::any_of(
      definition.status.conditions, [](const auto& one) { return one.type == "Terminating"; });
  if (is_marked) return;
  definition.metadata.deletion_grace_period_seconds.reset();
  --definition.metadata.generation;
  definitions::MarkDeleted(definition);
}

api::NameErrors CheckNameOfDefinition(const api::Object& object, std::string_view name) {
  return definitions::CheckDefinitionName(object.As<CustomResourceDefinition>(), name);
}

std::vector<ErrorCause> ValidateNewDefinition(const CustomResourceDefinition& next) {
  return definitions::ValidateDefinition(next, DefinitionEnvironment());
}

std::vector<ErrorCause> ValidateChangedDefinition(const CustomResourceDefinition& next,
                                                  const CustomResourceDefinition& old) {
  return definitions::ValidateDefinitionChange(next, old, DefinitionEnvironment());
}

std::vector<std::string> DefinitionWarnings(const api::Object& object,
                                            const api::Object* old,
                                            const api::Profile& /*profile*/) {
  return definitions::WarningsOf(object.As<CustomResourceDefinition>(),
                                 old == nullptr ? nullptr : &old->As<CustomResourceDefinition>());
}

constexpr definitions::Environment kDefinitionEnvironment = {
    .check_ca_bundle = CheckCaBundle, .check_metadata = CheckEmbeddedMetadata};

constexpr Strategy kDefinitionStrategies[] = {
    {.type = &api::TypeOf<CustomResourceDefinition>,
     .status_metadata = StatusMetadata::kFree,
     .prepare_create = PrepareNewDefinition,
     .prepare_update = PrepareDefinition,
     .any_finalizers = true,
     .check_name = CheckNameOfDefinition,
     .validate_create = Rule<CustomResourceDefinition, ValidateNewDefinition>,
     .validate_update = Rule<CustomResourceDefinition, ValidateChangedDefinition>,
     .validate_status = Rule<CustomResourceDefinition, definitions::ValidateDefinitionStatus>,
     .warnings = DefinitionWarnings,
     .has_finalizers = DefinitionIsHeld,
     .mark_deleted = MarkDefinition}};

}  // namespace

const definitions::Environment& DefinitionEnvironment() {
  return kDefinitionEnvironment;
}

std::span<const Strategy> DefinitionStrategies() {
  return kDefinitionStrategies;
}

}  // namespace dray::server::registry
