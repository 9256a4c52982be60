// SPDX-License-Identifier: Apache-2.0
#include "api/quota/limits.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/quota/pod_charge.h"
#include "api/quota/scopes.h"
#include "base/try.h"

namespace dray::api::quota {
namespace {

std::string TextOf(const Amounts& amounts) {
  std::vector<std::string> texts;
  for (const auto& [name, amount] : amounts) {
    texts.push_back(fmt::format("{}={}", name, amount.ToString()));
  }
  return fmt::format("{}", fmt::join(texts, ","));
}

/// Those of `names` that `amounts` has.
Amounts OfNames(const Amounts& amounts, const Amounts& names) {
  Amounts some;
  for (const auto& [name, ignored] : names) {
    if (const auto found = amounts.find(name); found != amounts.end()) some[name] = found->second;
  }
  return some;
}

Result<> Refuse(std::string text) {
  return Fail(StatusReason::kForbidden, std::move(text));
}

/// The limits of the quota that objects of the kind count against.
Amounts LimitsFor(const core_v1::ResourceQuota& quota, const KindInfo& kind) {
  Amounts limits;
  for (const auto& [name, limit] : quota.status.hard) {
    if (IsAbout(kind, name)) limits[name] = limit;
  }
  return limits;
}

Result<> CheckCounted(const core_v1::ResourceQuota& quota, const Amounts& limits) {
  std::vector<std::string> names;
  bool is_counted = true;
  for (const auto& [name, limit] : limits) {
    names.push_back(name);
    is_counted = is_counted && quota.status.used.contains(name);
  }
  if (is_counted) return {};
  return Refuse(fmt::format(
      "status unknown for quota: {}, resources: {}", quota.metadata.name, fmt::join(names, ",")));
}

}  // namespace

Result<std::optional<Amounts>> Charged(const core_v1::ResourceQuota& quota,
                                       const Object& object,
                                       const Amounts& charge) {
  const Amounts limits = LimitsFor(quota, object.kind());
  if (limits.empty() || !IsInScope(quota.spec, object)) return std::nullopt;
  if (const auto* pod = object.If<core_v1::Pod>()) {
    const std::string missing = MissingRequests(quota, *pod);
    if (!missing.empty()) {
      DRAY_TRY_VOID(Refuse(fmt::format("failed quota: {}: {}", quota.metadata.name, missing)));
    }
  }
  DRAY_TRY_VOID(CheckCounted(quota, limits));
  Amounts used = quota.status.used;
  Amounts exceeded;
  bool changes = false;
  for (const auto& [name, amount] : OfNames(charge, limits)) {
    if (amount.IsZero()) continue;
    changes = true;
    Quantity& sum = used[name];
    sum += amount;
    if (sum > limits.at(name)) exceeded[name] = amount;
  }
  if (!exceeded.empty()) {
    DRAY_TRY_VOID(Refuse(fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}",
                                     quota.metadata.name,
                                     TextOf(exceeded),
                                     TextOf(OfNames(quota.status.used, exceeded)),
                                     TextOf(OfNames(limits, exceeded)))));
  }
  if (!changes) return std::nullopt;
  return used;
}

Count::Count(const core_v1::ResourceQuota& quota) : quota_(quota) {
  status_.hard = quota.spec.hard;
}

void Count::Begin(const KindInfo& kind) {
  for (const auto& [name, limit] : quota_.spec.hard) {
    if (IsAbout(kind, name)) status_.used.try_emplace(name);
  }
}

void Count::Add(const Object& object, const Amounts& charge) {
  if (!IsInScope(quota_.spec, object)) return;
  for (const auto& [name, amount] : charge) {
    if (!IsAbout(object.kind(), name)) continue;
    if (const auto used = status_.used.find(name); used != status_.used.end()) {
      used->second += amount;
    }
  }
}

core_v1::ResourceQuotaStatus Count::Status() && {
  return std::move(status_);
}

}  // namespace dray::api::quota
