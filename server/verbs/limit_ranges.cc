// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/limit_ranges.h"

#include <string>

#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/pod.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "store/record.h"

namespace dray::server::verbs {
namespace {

using api::core_v1::LimitRange;
using api::core_v1::PersistentVolumeClaim;
using api::core_v1::Pod;

constexpr const api::KindInfo& kRanges = api::Reflected<LimitRange>::kKind;

}  // namespace

std::vector<LimitRange> LimitRangesFor(const api::Object& object, const store::Snapshot& snapshot) {
  std::vector<LimitRange> ranges;
  const bool is_bounded =
      object.If<Pod>() != nullptr || object.If<PersistentVolumeClaim>() != nullptr;
  if (!is_bounded) return ranges;
  const std::string prefix = storage::CollectionPrefix(kRanges, object.metadata().namespace_);
  for (const store::Record& record : snapshot.Range({.prefix = prefix, .start_key = {}})) {
    const auto item = storage::ItemOf(storage::View::OfStorage(kRanges), record);
    if (item.has_value() && item->has_value()) {
      ranges.push_back((*item)->object.As<LimitRange>());
    }
  }
  return ranges;
}

Result<> CheckLimitRanges(const api::Object& object, api::quota::LimitRanges ranges) {
  std::string broken;
  if (const auto* const pod = object.If<Pod>()) {
    broken = api::quota::BoundsBrokenBy(*pod, ranges);
  } else if (const auto* const claim = object.If<PersistentVolumeClaim>()) {
    broken = api::quota::BoundsBrokenBy(*claim, ranges);
  }
  if (broken.empty()) return {};
  return Fail(errors::Forbidden(object.kind(), object.metadata().name, broken));
}

}  // namespace dray::server::verbs
