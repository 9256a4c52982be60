// SPDX-License-Identifier: Apache-2.0
#include "controllers/resource_pool_status.h"

#include <algorithm>
#include <utility>

#include "api/meta_v1/options.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha3.h"
#include "base/try.h"
#include "client/list_all.h"
#include "client/loop.h"
#include "client/read_modify_write.h"
#include "controllers/pool_status.h"
#include "dray/taint_rules.h"

namespace dray::controllers {
namespace {

namespace resource_v1 = api::resource_v1;
using Request = api::resource_v1alpha3::ResourcePoolStatusRequest;

}  // namespace

ResourcePoolStatus::ResourcePoolStatus(client::Client& client,
                                       World& world,
                                       client::SharedInformers& informers,
                                       Log log,
                                       std::optional<api::Release> taint_rules)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      taint_rules_(taint_rules),
      keys_({.clock = world.clock,
             .log = log_,
             .failed = "pool status is tried again",
             .keys_per_step = 1}),
      sweep_at_(world.clock.Monotonic() + kSweepPeriod),
      requests_(informers.Of(api::Reflected<Request>::kKind)) {
  requests_.OnChange([this](const api::Object* before, const api::Object* after) {
    if (after == nullptr) {
      tries_.erase(before->metadata().name);
    } else if (!after->As<Request>().status.has_value()) {
      keys_.Add(after->metadata().name);
    }
  });
}

std::optional<MonotonicTime> ResourcePoolStatus::Step() {
  std::optional<MonotonicTime> next = requests_.Step();
  if (!requests_.synced()) return next;
  if (keys_.MustStartOver()) {
    for (const auto& [name, request] : requests_.objects()) keys_.Add(name);
  }
  keys_.Handle([this](const std::string& name) {
    const Result<> done = Sync(name);
    if (done || IsMissing(done.error())) tries_.erase(name);
    return done;
  });
  next = client::Earlier(next, Sweep(world_.clock.Monotonic()));
  return client::Earlier(next, keys_.Next());
}

Result<> ResourcePoolStatus::Sync(const std::string& name) {
  const api::Object* found = requests_.Find(name);
  if (found == nullptr || found->As<Request>().status.has_value()) return {};
  const api::Object request = *found;
  DRAY_TRY(auto slices, client::ListAll<resource_v1::ResourceSlice>(client_));
  DRAY_TRY(const auto claims, client::ListAll<resource_v1::ResourceClaim>(client_));
  if (taint_rules_.has_value()) {
    DRAY_TRY(const auto rules, client::ListAll<resource_v1::DeviceTaintRule>(client_));
    slices = allocator::WithTaintsOf(rules, std::move(slices), *taint_rules_);
  }
  const auto status = PoolStatusOf(request.As<Request>().spec,
                                   {.slices = slices, .claims = claims},
                                   api::Time::Of(world_.clock.Now()));
  if (IsIncomplete(status) && ++tries_[name] <= kTriesMax) {
    return Fail(StatusReason::kUnknown, "a pool is incomplete");
  }
  DRAY_TRY(const api::Object written,
           client::ReadModifyWrite(
               client_, request, "status", [&](api::Object& copy) -> Result<client::Change> {
                 const bool is_other = copy.metadata().uid != request.metadata().uid;
                 auto& edited = copy.Mutable<Request>().status;
                 if (is_other || edited.has_value()) return client::Change::kNothing;
                 edited = status;
                 return client::Change::kWrite;
               }));
  requests_.Assume(written);
  return {};
}

bool ResourcePoolStatus::IsOld(const api::Object& object) const {
  const auto& request = object.As<Request>();
  const int64_t now = api::Time::Of(world_.clock.Now()).unix_seconds();
  const auto is_older = [now](api::Time since, std::chrono::seconds than) {
    return !since.IsZero() && now - since.unix_seconds() > than.count();
  };
  const api::Time created = request.metadata.creation_timestamp;
  if (!request.status.has_value()) return is_older(created, kPendingFor);
  for (const auto& condition : request.status->conditions) {
    if (condition.type != "Complete" && condition.type != "Failed") continue;
    return is_older(condition.last_transition_time, kAnsweredFor);
  }
  return is_older(created, kAnsweredFor);
}

/// Deletes what is old when that is due; when the next time is.
std::optional<MonotonicTime> ResourcePoolStatus::Sweep(MonotonicTime now) {
  if (requests_.objects().empty()) return std::nullopt;
  if (now < sweep_at_) return sweep_at_;
  sweep_at_ = now + kSweepPeriod;
  std::vector<api::Object> old;
  for (const auto& [name, request] : requests_.objects()) {
    if (IsOld(request)) old.push_back(request);
  }
  for (const api::Object& request : old) {
    api::meta_v1::DeleteOptions options;
    options.preconditions = api::meta_v1::Preconditions{.uid = request.metadata().uid};
    const Result<> deleted = client_.Delete(client::RefOf(request), options);
    if (deleted || deleted.error().reason == StatusReason::kNotFound) continue;
    log_.Warning("an old request stays for now",
                 "request",
                 request.metadata().name,
                 "error",
                 deleted.error().message);
  }
  return sweep_at_;
}

}  // namespace dray::controllers
