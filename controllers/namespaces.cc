// SPDX-License-Identifier: Apache-2.0
#include "controllers/namespaces.h"

#include <utility>

#include <fmt/format.h>

#include "api/core_v1/namespace.h"
#include "api/meta_v1/options.h"
#include "base/try.h"
#include "client/loop.h"
#include "client/read_modify_write.h"

namespace dray::controllers {
namespace {

using api::core_v1::Namespace;

// The finalizer of a namespace's spec that this controller removes.
constexpr const char* kFinalizer = "kubernetes";

constexpr std::chrono::seconds kLongestWait(10);

bool IsTerminating(const api::Object& object) {
  return object.metadata().deletion_timestamp.has_value();
}

}  // namespace

NamespaceController::NamespaceController(client::Client& client,
                                         World& world,
                                         client::SharedInformers& informers,
                                         Log log,
                                         const api::LiveScheme& scheme)
    : client_(client),
      world_(world),
      scheme_(scheme),
      keys_({.clock = world.clock,
             .log = std::move(log),
             .failed = "namespace stays for now",
             .keys_per_step = 1,
             .queue = {.max_delay = kLongestWait}}),
      namespaces_(informers.Of(api::Reflected<Namespace>::kKind)) {
  namespaces_.OnChange([this](const api::Object* /*before*/, const api::Object* after) {
    if (after != nullptr && IsTerminating(*after)) keys_.Add(after->metadata().name);
  });
}

std::optional<MonotonicTime> NamespaceController::Step() {
  const std::optional<MonotonicTime> next = namespaces_.Step();
  if (!namespaces_.synced()) return next;
  if (keys_.MustStartOver()) {
    for (const auto& [name, object] : namespaces_.objects()) {
      if (IsTerminating(object)) keys_.Add(name);
    }
  }
  keys_.Handle([this](const std::string& name) { return Sync(name); });
  return client::Earlier(next, keys_.Next());
}

Result<> NamespaceController::Sync(const std::string& name) {
  const api::Object* found = namespaces_.Find(name);
  if (found == nullptr || !IsTerminating(*found)) return {};
  const api::Object object = *found;
  DRAY_TRY(const NamespaceLeftovers leftovers, Empty(name));
  if (leftovers.objects > 0) {
    DRAY_TRY_VOID(ReportLeftovers(object, leftovers));
    return Fail(StatusReason::kUnknown, fmt::format("{} objects are left", leftovers.objects));
  }
  DRAY_TRY_VOID(client::ReadModifyWrite(
      client_, object, "finalize", [](api::Object& copy) -> Result<client::Change> {
        const size_t erased = std::erase(copy.Mutable<Namespace>().spec.finalizers, kFinalizer);
        return erased > 0 ? client::Change::kWrite : client::Change::kNothing;
      }));
  return {};
}

Result<NamespaceLeftovers> NamespaceController::Empty(const std::string& name) {
  NamespaceLeftovers leftovers;
  const Frozen<api::Scheme> scheme = scheme_.Now();
  for (const api::KindInfo* kind : scheme->kinds()) {
    if (!kind->namespaced || !kind->served || kind->create_only) continue;
    client::ListOptions options;
    options.namespace_ = name;
    DRAY_TRY(const client::ObjectList list, client_.List(*kind, options));
    for (const api::Object& object : list.items) {
      ++leftovers.objects;
      if (!IsTerminating(object)) {
        Delete(object, leftovers);
        continue;
      }
      // Its finalizers or its node hold it.
      ++leftovers.resources[fmt::format("{}.{}", kind->plural, kind->group)];
      for (const std::string& finalizer : object.metadata().finalizers) {
        ++leftovers.finalizers[finalizer];
      }
    }
  }
  return leftovers;
}

void NamespaceController::Delete(const api::Object& object, NamespaceLeftovers& leftovers) {
  api::meta_v1::DeleteOptions options;
  options.preconditions = api::meta_v1::Preconditions{.uid = object.metadata().uid};
  options.propagation_policy = "Background";  // dependents go, too, whatever the kind
  const Result<> deleted = client_.Delete(client::RefOf(object), options);
  if (deleted || deleted.error().reason == StatusReason::kNotFound) return;
  leftovers.failed_deletions.push_back(deleted.error().message);
}

/// Nothing is said of what has only just been asked to go.
Result<> NamespaceController::ReportLeftovers(const api::Object& namespace_object,
                                              const NamespaceLeftovers& leftovers) {
  if (leftovers.resources.empty() && leftovers.failed_deletions.empty()) return {};
  const api::Time now = api::Time::Of(world_.clock.Now());
  DRAY_TRY_VOID(client::ReadModifyWrite(
      client_, namespace_object, "status", [&](api::Object& copy) -> Result<client::Change> {
        const bool is_changed = SetConditions(copy.Mutable<Namespace>().status, leftovers, now);
        return is_changed ? client::Change::kWrite : client::Change::kNothing;
      }));
  return {};
}

}  // namespace dray::controllers
