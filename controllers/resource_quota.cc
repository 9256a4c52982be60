// SPDX-License-Identifier: Apache-2.0
#include "controllers/resource_quota.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/claims/extended_claim.h"
#include "api/core_v1/pod.h"
#include "api/quota/charge.h"
#include "api/quota/limits.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "base/try.h"
#include "client/loop.h"
#include "client/read_modify_write.h"

namespace dray::controllers {
namespace {

using api::core_v1::ResourceQuota;

constexpr const api::KindInfo& kQuotas = api::Reflected<ResourceQuota>::kKind;
constexpr const api::KindInfo& kPods = api::Reflected<api::core_v1::Pod>::kKind;
constexpr const api::KindInfo& kClaimKind = api::Reflected<api::resource_v1::ResourceClaim>::kKind;
constexpr const api::KindInfo& kClasses = api::Reflected<api::resource_v1::DeviceClass>::kKind;

bool CanBeCounted(const api::KindInfo& kind) {
  return kind.served && kind.metadata != nullptr && api::quota::IsCounted(kind);
}

/// What a count reads of the API server: each kind of a namespace once, each class once.
class Reader {
 public:
  Reader(client::Client& client, std::string namespace_)
      : client_(client), namespace_(std::move(namespace_)) {}

  const std::vector<api::Object>& Objects(const api::KindInfo& kind) {
    const auto [place, is_new] = objects_.try_emplace(&kind);
    if (!is_new) return place->second;
    Result<client::ObjectList> list = client_.List(kind, {.namespace_ = namespace_});
    if (list) {
      place->second = std::move(list->items);
    } else {
      failure_ = list.error();
    }
    return place->second;
  }

  /// The lookups end with this.
  api::quota::Surroundings Surroundings(bool extended, WallTime now) {
    api::quota::Surroundings surroundings{.now = now};
    if (!extended) return surroundings;
    surroundings.resource_of_class = [this](std::string_view name) { return ResourceOf(name); };
    surroundings.pod = [this](std::string_view name) {
      const std::vector<api::Object>& pods = Objects(kPods);
      const auto found = std::ranges::find_if(
          pods, [&](const api::Object& pod) { return pod.metadata().name == name; });
      return found == pods.end() ? api::Object() : *found;
    };
    surroundings.claims_of_pod = [this](std::string_view uid) { return ClaimsOf(uid); };
    return surroundings;
  }

  /// The first failure, after which what was read is not all there is.
  Result<> Done() const { return failure_ ? Fail(*failure_) : Result<>(); }

 private:
  std::string ResourceOf(std::string_view device_class) {
    const auto [place, is_new] = resources_.try_emplace(std::string(device_class));
    if (!is_new) return place->second;
    const Result<api::Object> found = client_.Get({&kClasses, "", place->first});
    if (found) {
      place->second =
          found->As<api::resource_v1::DeviceClass>().spec.extended_resource_name.value_or("");
    } else if (found.error().reason != StatusReason::kNotFound) {
      failure_ = found.error();
    }
    return place->second;
  }

  std::vector<api::Object> ClaimsOf(std::string_view pod_uid) {
    std::vector<api::Object> claims;
    std::ranges::copy_if(Objects(kClaimKind), std::back_inserter(claims), [&](const auto& claim) {
      return api::claims::PodOfExtendedClaim(claim.metadata()).uid == pod_uid;
    });
    return claims;
  }

  client::Client& client_;
  const std::string namespace_;
  std::map<const api::KindInfo*, std::vector<api::Object>> objects_;
  std::map<std::string, std::string, std::less<>> resources_;  // by class
  std::optional<Error> failure_;
};

}  // namespace

ResourceQuotaController::ResourceQuotaController(client::Client& client,
                                                 World& world,
                                                 client::SharedInformers& informers,
                                                 Log log,
                                                 const Options& options)
    : client_(client),
      world_(world),
      informers_(informers),
      extended_(options.extended),
      scheme_(options.scheme),
      keys_({.clock = world.clock,
             .log = std::move(log),
             .failed = "quota is counted again",
             .keys_per_step = 1}),
      recount_at_(world.clock.Monotonic() + kRecountPeriod),
      quotas_(informers.Of(kQuotas)) {
  LearnKinds();
  quotas_.OnChange([this](const api::Object* before, const api::Object* after) {
    const bool same_limits =
        before != nullptr && after != nullptr &&
        before->As<ResourceQuota>().spec.hard == after->As<ResourceQuota>().spec.hard;
    quotas_changed_ = quotas_changed_ || !same_limits;
    if (after != nullptr) {
      OnQuota(after);
    } else if (before != nullptr) {
      counted_at_.erase(api::ObjectKey(before->metadata()));
    }
  });
}

void ResourceQuotaController::LearnKinds() {
  Frozen<api::Scheme> now = scheme_.Now();
  if (now == known_) return;
  known_ = std::move(now);
  kinds_.clear();
  std::set<const api::KindInfo*> hubs;  // versions of one hub show the same objects
  for (const api::KindInfo* kind : known_->kinds()) {
    if (CanBeCounted(*kind) && hubs.insert(&kind->storage()).second) kinds_.push_back(kind);
  }
  quotas_changed_ = true;
}

std::optional<MonotonicTime> ResourceQuotaController::Step() {
  LearnKinds();
  std::optional<MonotonicTime> next = quotas_.Step();
  if (!quotas_.synced()) return next;
  next = client::Earlier(next, FollowKinds());
  next = client::Earlier(next, Recount(world_.clock.Monotonic()));
  keys_.Handle([this](const std::string& key) {
    counted_at_[key] = world_.clock.Monotonic();
    return Sync(key);
  });
  return client::Earlier(next, keys_.Next());
}

// ------------------------------------------------------------------------------------------------
// What makes a quota be counted.

ResourceQuotaController::Kinds ResourceQuotaController::KindsOf(const api::Object& quota) const {
  Kinds kinds;
  std::ranges::copy_if(kinds_, std::back_inserter(kinds), [&](const api::KindInfo* kind) {
    return std::ranges::any_of(quota.As<ResourceQuota>().spec.hard, [&](const auto& limit) {
      return api::quota::IsAbout(*kind, limit.first);
    });
  });
  return kinds;
}

std::optional<MonotonicTime> ResourceQuotaController::FollowKinds() {
  if (std::exchange(quotas_changed_, false)) ChooseKinds();
  std::optional<MonotonicTime> next;
  for (const auto& [kind, informer] : followed_) next = client::Earlier(next, informer->Step());
  return next;
}

/// Follows the kinds that quotas name, and no others.
void ResourceQuotaController::ChooseKinds() {
  std::set<const api::KindInfo*> named;
  for (const auto& [key, quota] : quotas_.objects()) {
    const Kinds kinds = KindsOf(quota);
    named.insert(kinds.begin(), kinds.end());
  }
  std::erase_if(followed_, [&](const auto& kind) { return !named.contains(kind.first); });
  for (const api::KindInfo* kind : named) {
    auto& informer = followed_[kind];
    if (informer != nullptr) continue;
    informer = informers_.MakeOwn(*kind);
    informer->OnChange([this, kind](auto* before, auto* after) { OnObject(*kind, before, after); });
  }
}

void ResourceQuotaController::OnQuota(const api::Object* after) {
  const auto& quota = after->As<ResourceQuota>();
  // What is used is the server's to change. Limits that are not in force have to be counted first.
  if (quota.spec.hard != quota.status.hard) Enqueue(api::ObjectKey(quota.metadata));
}

/// The server has seen to new objects.
void ResourceQuotaController::OnObject(const api::KindInfo& kind,
                                       const api::Object* before,
                                       const api::Object* after) {
  if (before == nullptr) return;
  const WallTime now = world_.clock.Now();
  const bool same = after != nullptr && api::quota::ChargeOf(*before, {.now = now}) ==
                                            api::quota::ChargeOf(*after, {.now = now});
  if (same) return;
  const std::string prefix = before->metadata().namespace_ + "/";
  const client::Informer::Objects quotas = quotas_.objects();
  for (auto at = quotas.lower_bound(prefix); at != quotas.end(); ++at) {
    const auto& [key, quota] = *at;
    if (!key.starts_with(prefix)) return;
    const bool counts = std::ranges::any_of(
        quota.As<ResourceQuota>().spec.hard,
        [&](const auto& limit) { return api::quota::IsAbout(kind, limit.first); });
    if (counts) Enqueue(key);
  }
}

void ResourceQuotaController::Enqueue(const std::string& key) {
  const auto counted = counted_at_.find(key);
  if (counted == counted_at_.end()) {
    keys_.Add(key);
  } else {
    keys_.AddAt(key, counted->second + kBetweenCounts);
  }
}

std::optional<MonotonicTime> ResourceQuotaController::Recount(MonotonicTime now) {
  if (quotas_.objects().empty()) return std::nullopt;
  if (!keys_.MustStartOver() && now < recount_at_) return recount_at_;
  recount_at_ = now + kRecountPeriod;
  for (const auto& [key, quota] : quotas_.objects()) Enqueue(key);
  return recount_at_;
}

// ------------------------------------------------------------------------------------------------
// A count.

Result<api::core_v1::ResourceQuotaStatus> ResourceQuotaController::Count(const api::Object& quota) {
  Reader reader(client_, quota.metadata().namespace_);
  const api::quota::Surroundings surroundings = reader.Surroundings(extended_, world_.clock.Now());
  api::quota::Count count(quota.As<ResourceQuota>());
  for (const api::KindInfo* kind : KindsOf(quota)) {
    count.Begin(*kind);
    for (const api::Object& object : reader.Objects(*kind)) {
      count.Add(object, api::quota::ChargeOf(object, surroundings));
    }
  }
  DRAY_TRY_VOID(reader.Done());
  return std::move(count).Status();
}

Result<> ResourceQuotaController::Sync(const std::string& key) {
  const api::Object* known = quotas_.Find(key);
  if (known == nullptr) return {};
  DRAY_TRY(const api::Object quota, client_.Get(client::RefOf(*known)));
  DRAY_TRY(api::core_v1::ResourceQuotaStatus status, Count(quota));
  const auto& before = quota.As<ResourceQuota>().status;
  if (before == status) return {};
  const bool new_limits = before.hard != status.hard;
  api::Object copy = quota.Clone();
  copy.Mutable<ResourceQuota>().status = std::move(status);
  DRAY_TRY(const api::Object written, client_.Update(copy, "status"));
  quotas_.Assume(written);
  // What was created before the limits were in force and after it was listed is not counted yet.
  if (new_limits) Enqueue(key);
  return {};
}

}  // namespace dray::controllers
