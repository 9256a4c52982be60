// SPDX-License-Identifier: Apache-2.0
#include "cli/serving/served_definitions.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/apiextensions_v1.h"
#include "base/mutex.h"
#include "base/try.h"

namespace dray::cli::inline serving {
namespace {

using api::apiextensions_v1::CustomResourceDefinition;

/// Wakes the waiting thread; a ring while it does not wait is kept.
class Bell {
 public:
  void Ring() {
    const MutexLock lock(mutex_);
    is_rung_ = true;
    changed_.NotifyAll();
  }

  /// Waits for a ring. False: `time` was over first.
  bool WaitFor(std::chrono::nanoseconds time) {
    const MutexLock lock(mutex_);
    bool in_time = true;
    while (!is_rung_ && in_time) in_time = changed_.WaitFor(mutex_, time);
    return std::exchange(is_rung_, false);
  }

 private:
  Mutex mutex_;
  Condition changed_;
  bool is_rung_ DRAY_GUARDED_BY(mutex_) = false;
};

/// The condition of this type; null: there is none.
const api::apiextensions_v1::CustomResourceDefinitionCondition* ConditionOf(
    const CustomResourceDefinition& definition, std::string_view type) {
  const auto& all = definition.status.conditions;
  const auto found = std::ranges::find_if(all, [&](const auto& one) { return one.type == type; });
  return found == all.end() ? nullptr : &*found;
}

/// Whether the kinds of one definition are served. Errors: kConflict  they will not be.
Result<bool> IsServed(client::Client& client,
                      const api::LiveScheme& scheme,
                      const AwaitedDefinition& awaited) {
  DRAY_TRY(const api::Object object,
           client.Get({.kind = &api::Reflected<CustomResourceDefinition>::kKind,
                       .namespace_ = {},
                       .name = awaited.name}));
  const auto& definition = object.As<CustomResourceDefinition>();
  const auto* names = ConditionOf(definition, "NamesAccepted");
  if (names != nullptr && names->status == "False") {
    return Fail(StatusReason::kConflict,
                fmt::format("{}: CustomResourceDefinition {}: its kind is not served: {}; rename "
                            "it, or delete the definition that has the name",
                            awaited.place,
                            awaited.name,
                            names->message));
  }
  const auto* established = ConditionOf(definition, "Established");
  if (established == nullptr || established->status != "True") return false;
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
  const auto bell = std::make_shared<Bell>();
  const auto listening = scheme.Listen([bell] { bell->Ring(); });
  const api::KindInfo& kind = api::Reflected<CustomResourceDefinition>::kKind;
  DRAY_TRY(const client::ObjectList list, client.List(kind, {}));
  DRAY_TRY(const std::unique_ptr<client::Watch> watch,
           client.StartWatch(kind,
                             {},
                             list.resource_version,
                             {.events = [bell](std::vector<client::WatchEvent>) { bell->Ring(); },
                              .ended = [bell](const Error&) { bell->Ring(); }}));
  const MonotonicTime end = clock.Monotonic() + kServedWithin;
  while (true) {
    DRAY_TRY(const bool is_served, IsServed(client, scheme, awaited));
    if (is_served) return {};
    if (bell->WaitFor(end - clock.Monotonic())) continue;
    return Fail(StatusReason::kTimeout,
                fmt::format("{}: CustomResourceDefinition {}: its kind is not served within {} s",
                            awaited.place,
                            awaited.name,
                            kServedWithin.count()));
  }
}

}  // namespace dray::cli::inline serving
