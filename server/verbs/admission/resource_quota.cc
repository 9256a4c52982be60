// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/resource_quota.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/claims/extended_claim.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/resource_quota.h"
#include "api/feature_gates.h"
#include "api/quota/charge.h"
#include "api/quota/limits.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/storage/transactions.h"
#include "store/record.h"

namespace dray::server::verbs::admission {
namespace {

using api::core_v1::ResourceQuota;

constexpr const api::KindInfo& kQuotas = api::Reflected<ResourceQuota>::kKind;
constexpr const api::KindInfo& kPods = api::Reflected<api::core_v1::Pod>::kKind;
constexpr const api::KindInfo& kClaims = api::Reflected<api::resource_v1::ResourceClaim>::kKind;
constexpr const api::KindInfo& kDeviceClasses =
    api::Reflected<api::resource_v1::DeviceClass>::kKind;

/// The object in the record; empty when it cannot be read.
api::Object ReadStored(const api::KindInfo& kind, const store::Record& record) {
  const auto item = storage::ItemOf(storage::View::OfStorage(kind), record);
  return item.has_value() && item->has_value() ? (*item)->object : api::Object();
}

api::Object FindStored(const store::Snapshot& snapshot,
                       const api::KindInfo& kind,
                       std::string_view namespace_,
                       std::string_view name) {
  const store::Record* record = snapshot.Find(storage::ObjectKey(kind, namespace_, name));
  return record == nullptr ? api::Object() : ReadStored(kind, *record);
}

std::vector<api::Object> ClaimsOfPod(const store::Snapshot& snapshot,
                                     std::string_view namespace_,
                                     std::string_view uid) {
  std::vector<api::Object> claims;
  for (const store::Record& record : snapshot.Range(
           {.prefix = storage::CollectionPrefix(kClaims, namespace_), .start_key = {}})) {
    api::Object claim = ReadStored(kClaims, record);
    if (claim.empty() || api::claims::PodOfExtendedClaim(claim.metadata()).uid != uid) continue;
    claims.push_back(std::move(claim));
  }
  return claims;
}

/// `namespace_` and `snapshot` outlive it.
api::quota::Surroundings SurroundingsOf(const std::string& namespace_,
                                        bool extended,
                                        WallTime now,
                                        const store::Snapshot& snapshot) {
  api::quota::Surroundings surroundings{.now = now};
  if (!extended) return surroundings;
  surroundings.resource_of_class = [&snapshot](std::string_view name) {
    const api::Object found = FindStored(snapshot, kDeviceClasses, "", name);
    if (found.empty()) return std::string();
    return found.As<api::resource_v1::DeviceClass>().spec.extended_resource_name.value_or("");
  };
  surroundings.pod = [&](std::string_view name) {
    return FindStored(snapshot, kPods, namespace_, name);
  };
  surroundings.claims_of_pod = [&](std::string_view uid) {
    return ClaimsOfPod(snapshot, namespace_, uid);
  };
  return surroundings;
}

void Put(const store::Record& record,
         const api::Object& quota,
         api::quota::Amounts used,
         WallTime now,
         store::Txn& txn) {
  api::Object next = quota.Clone();
  next.mutable_metadata().resource_version.clear();
  next.Mutable<ResourceQuota>().status.used = std::move(used);
  txn.compares.push_back({.key = std::string(record.key()), .modified = record.modified});
  txn.operations.emplace_back(
      storage::PutOf(std::string(record.key()), storage::StoredObject::Of(std::move(next)), now));
}

}  // namespace

Result<> ChargeQuotas(const Call& call, const store::Snapshot& snapshot, const Write& write) {
  if (!write.subresource.empty() || write.txn == nullptr) return {};
  const api::Object& object = *write.object;
  if (!api::quota::IsCounted(object.kind())) return {};
  static const std::string kAll = storage::ResourcePrefix(kQuotas);
  if (snapshot.Range({.prefix = kAll, .start_key = {}}).empty()) return {};
  const std::string& namespace_ = object.metadata().namespace_;
  const bool extended =
      call.core->options.rules.For(call.kind(), nullptr).profile.Has(api::Gate::kExtendedResource);
  const WallTime now = call.now();
  std::optional<api::quota::Amounts> charge;  // computed for the first quota
  for (const store::Record& record : snapshot.Range(
           {.prefix = storage::CollectionPrefix(kQuotas, namespace_), .start_key = {}})) {
    const api::Object quota = ReadStored(kQuotas, record);
    if (quota.empty()) continue;
    if (!charge) {
      charge = api::quota::ChargeOf(object, SurroundingsOf(namespace_, extended, now, snapshot));
    }
    Result<std::optional<api::quota::Amounts>> used =
        api::quota::Charged(quota.As<ResourceQuota>(), object, *charge);
    if (!used) {
      return Fail(errors::Forbidden(object.kind(), object.metadata().name, used.error().message));
    }
    if (used->has_value()) Put(record, quota, **std::move(used), now, *write.txn);
  }
  return {};
}

}  // namespace dray::server::verbs::admission
