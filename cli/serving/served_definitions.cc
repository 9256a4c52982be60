// SPDX-License-Identifier: Apache-2.0
#include "cli/serving/served_definitions.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "api/apiextensions_v1.h"
#include "base/try.h"
#include "base/wakeup.h"
#include "custom/definitions/conditions.h"

namespace dray::cli::inline serving {
namespace {

using api::apiextensions_v1::CustomResourceDefinition;

// How often a wait looks whether the program is to end.
constexpr std::chrono::milliseconds kLookEvery{100};

/// Whether the kinds of one definition are served. Errors: kConflict  they will not be.
Result<bool> IsServed(client::Client& client,
                      const api::LiveScheme& scheme,
                      const AwaitedDefinition& awaited) {
  DRAY_TRY(const api::Object object,
           client.Get({.kind = &api::Reflected<CustomResourceDefinition>::kKind,
                       .namespace_ = {},
                       .name = awaited.name}));
  const auto& definition = object.As<CustomResourceDefinition>();
  const auto* names = custom::definitions::FindCondition(definition, "NamesAccepted");
  if (names != nullptr && names->status == "False") {
    return Fail(StatusReason::kConflict,
                fmt::format("{}: CustomResourceDefinition {}: its kind is not served: {}; rename "
                            "it, or delete the definition that has the name",
                            awaited.place,
                            awaited.name,
                            names->message));
  }
  if (!custom::definitions::IsConditionTrue(definition, "Established")) return false;
  const Frozen<api::Scheme> now = scheme.Now();
  return std::ranges::all_of(definition.spec.versions, [&](const auto& version) {
    return !version.served ||
           now->FindKind(fmt::format("{}/{}", definition.spec.group, version.name),
                         definition.status.accepted_names.kind) != nullptr;
  });
}

}  // namespace

Result<> WaitUntilServed(client::Client& client,
                         const api::LiveScheme& scheme,
                         Clock& clock,
                         const AwaitedDefinition& awaited) {
  const auto wakeup = std::make_shared<Wakeup>();
  const auto listening = scheme.Listen([wakeup] { wakeup->Wake(); });
  const api::KindInfo& kind = api::Reflected<CustomResourceDefinition>::kKind;
  const client::ListOptions only{
      .namespace_ = {}, .label_selector = {}, .field_selector = "metadata.name=" + awaited.name};
  DRAY_TRY(const client::ObjectList list, client.List(kind, only));
  DRAY_TRY(
      const std::unique_ptr<client::Watch> watch,
      client.StartWatch(kind,
                        only,
                        list.resource_version,
                        {.events = [wakeup](std::vector<client::WatchEvent>) { wakeup->Wake(); },
                         .ended = [wakeup](const Error&) { wakeup->Wake(); }}));
  const MonotonicTime end = clock.Monotonic() + kServedWithin;
  while (true) {
    DRAY_TRY(const bool is_served, IsServed(client, scheme, awaited));
    if (is_served) return {};
    if (wakeup->WaitFor(kLookEvery)) continue;
    if (awaited.is_stopping()) {
      return Fail(StatusReason::kServiceUnavailable, "the program is to end");
    }
    if (clock.Monotonic() < end) continue;
    return Fail(StatusReason::kTimeout,
                fmt::format("{}: CustomResourceDefinition {}: its kind is not served within {} s",
                            awaited.place,
                            awaited.name,
                            kServedWithin.count()));
  }
}

}  // namespace dray::cli::inline serving
