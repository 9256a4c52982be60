// SPDX-License-Identifier: Apache-2.0
#include "manifests/requests.h"

#include <array>
#include <string_view>
#include <utility>

#include "api/generate_name.h"
#include "base/check.h"
#include "base/try.h"
#include "server/registry/profile_expressions.h"
#include "server/registry/strategy.h"
#include "server/registry/write.h"

namespace dray::manifests {
namespace {

namespace registry = server::registry;

/// The releases to try in turn if none is chosen.
constexpr std::array kPreferred = {api::Release::kNewest, api::Release::k1_31, api::Release::k1_30};

/// Calls `use` with each NAME=VALUE of a list.
template <class Use>
Result<> ForEachFlag(std::string_view flags, Use use) {
  while (!flags.empty()) {
    const size_t comma = flags.find(',');
    const std::string_view flag = flags.substr(0, comma);
    flags = comma == std::string_view::npos ? std::string_view() : flags.substr(comma + 1);
    if (!flag.empty()) DRAY_TRY_VOID(use(flag));
  }
  return {};
}

/// Checks that every flag is valid in some release that may be used.
Result<> CheckFlags(std::string_view flags) {
  return ForEachFlag(flags, [](std::string_view flag) -> Result<> {
    Result<> newest;
    for (const api::Release release : kPreferred) {
      api::FeatureGates gates = api::FeatureGates::AllOf(release);
      Result<> applied = gates.Apply(flag, release);
      if (applied) return {};
      if (release == api::Release::kNewest) newest = std::move(applied);
    }
    return newest;
  });
}

registry::WriteContext WriteOf(const RequestContext& context,
                               const registry::ProfileExpressions& expressions) {
  return {.now = context.world.clock.Now(),
          .options = {.profile = context.profile,
                      .version = &context.kind,
                      .expressions = &expressions,
                      .namespace_object = &context.in}};
}

Said AnswerOf(Result<registry::Warnings> result) {
  if (result.has_value()) return {.warnings = *std::move(result)};
  return {.causes = std::move(result).error().causes};
}

}  // namespace

Result<> CheckOptions(const ValidateOptions& options) {
  if (!options.release.has_value()) return CheckFlags(options.feature_gates);
  api::FeatureGates gates = api::FeatureGates::AllOf(*options.release);
  return gates.Apply(options.feature_gates, *options.release);
}

api::Release ReleaseFor(const api::KindInfo& kind) {
  for (const api::Release release : kPreferred) {
    if (kind.in.Has(release)) return release;
  }
  return api::Release{kind.in.last};
}

api::Profile ProfileOf(const ValidateOptions& options, api::Release release) {
  api::Profile profile = api::Profile::Of(release);
  // Some releases do not know a gate, or have locked it.
  const Result<> applied = ForEachFlag(options.feature_gates, [&](std::string_view flag) {
    const Result<> one = profile.gates.Apply(flag, release);
    return options.release.has_value() ? one : Result<>();
  });
  DRAY_CHECK(applied.has_value());
  return profile;
}

Said Create(const RequestContext& context, api::Object& object) {
  const registry::ProfileExpressions expressions(context.profile);
  registry::WriteContext write = WriteOf(context, expressions);
  registry::BeginCreate(object, write);
  api::NameIfAsked(object.mutable_metadata(), context.world.random);
  write.uid = NewUuid(context.world.random);
  return AnswerOf(registry::BeforeCreate(registry::StrategyOf(context.kind), object, write));
}

Said UpdateStatus(const RequestContext& context, const api::Object& created, api::Object& object) {
  const registry::ProfileExpressions expressions(context.profile);
  registry::WriteContext write = WriteOf(context, expressions);
  write.subresource = registry::Subresource::kStatus;
  registry::BeginUpdate(object, created, write);
  return AnswerOf(
      registry::BeforeUpdate(registry::StrategyOf(context.kind), object, created, write));
}

}  // namespace dray::manifests
