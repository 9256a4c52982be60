// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/limit_ranger.h"

#include <string>
#include <vector>

#include "api/core_v1/limit_range.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/pod.h"
#include "api/quota/limit_ranges.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "store/record.h"

namespace dray::server::verbs::admission {
namespace {

using api::core_v1::LimitRange;
using api::core_v1::PersistentVolumeClaim;
using api::core_v1::Pod;

constexpr const api::KindInfo& kRanges = api::Reflected<LimitRange>::kKind;

// The ranges of the namespace of `object`, sorted by name.
std::vector<LimitRange> RangesAround(const api::Object& object, const store::Snapshot& snapshot) {
  std::vector<LimitRange> ranges;
  const std::string prefix = storage::CollectionPrefix(kRanges, object.metadata().namespace_);
  for (const store::Record& record : snapshot.Range({.prefix = prefix, .start_key = {}})) {
    const auto item = storage::ItemOf(storage::View::OfStorage(kRanges), record);
    if (item.has_value() && item->has_value()) {
      ranges.push_back((*item)->object.As<LimitRange>());
    }
  }
  return ranges;
}

// Whether ranges apply to the write. Containers of an existing pod cannot change, and an object
// that is being deleted must not be held up.
bool IsBounded(const Write& write) {
  if (!write.subresource.empty() || write.object == nullptr) return false;
  if (write.old_object != nullptr && write.old_object->metadata().deletion_timestamp.has_value()) {
    return false;
  }
  if (write.object->If<Pod>() != nullptr) return write.Is(policies::Operation::kCreate);
  return write.object->If<PersistentVolumeClaim>() != nullptr;
}

}  // namespace

Result<> FillInLimits(const Call& /*call*/,
                      const store::Snapshot& snapshot,
                      const Write& write,
                      api::Object* object) {
  if (!IsBounded(write) || object == nullptr || object->If<Pod>() == nullptr) return {};
  const std::vector<LimitRange> ranges = RangesAround(*object, snapshot);
  if (!ranges.empty()) api::quota::FillIn(ranges, object->Mutable<Pod>());
  return {};
}

Result<> CheckLimits(const Call& /*call*/, const store::Snapshot& snapshot, const Write& write) {
  if (!IsBounded(write)) return {};
  const api::Object& object = *write.object;
  const std::vector<LimitRange> ranges = RangesAround(object, snapshot);
  if (ranges.empty()) return {};
  const auto* const pod = object.If<Pod>();
  const std::string broken =
      pod != nullptr ? api::quota::BoundsBrokenBy(*pod, ranges)
                     : api::quota::BoundsBrokenBy(object.As<PersistentVolumeClaim>(), ranges);
  if (broken.empty()) return {};
  return Fail(errors::Forbidden(object.kind(), object.metadata().name, broken));
}

}  // namespace dray::server::verbs::admission
