// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/tainted_slices.h"

#include <utility>

namespace dray::scheduler::inline cluster {

namespace v1 = api::resource_v1;

Frozen<v1::ResourceSlice> TaintedSlices::WithTaints(const Frozen<v1::ResourceSlice>& slice) const {
  if (rules_.empty()) return slice;
  std::vector<Frozen<v1::DeviceTaintRule>> rules;
  rules.reserve(rules_.size());
  for (const auto& [name, rule] : rules_) rules.push_back(rule);
  return allocator::WithTaintsOf(rules, {slice}, release_).front();
}

allocator::ClusterChange TaintedSlices::SetSlice(const std::string& name,
                                                 Frozen<v1::ResourceSlice> slice) {
  if (slice == nullptr) {
    slices_.erase(name);
    return allocator::SliceRemoved{name};
  }
  Frozen<v1::ResourceSlice> shown = WithTaints(slice);
  slices_[name] = {.published = std::move(slice), .shown = shown};
  return shown;
}

std::vector<allocator::ClusterChange> TaintedSlices::SetRule(const std::string& name,
                                                             Frozen<v1::DeviceTaintRule> rule) {
  if (rule == nullptr) {
    rules_.erase(name);
  } else {
    rules_[name] = std::move(rule);
  }
  std::vector<allocator::ClusterChange> changes;
  for (auto& [slice_name, slice] : slices_) {
    Frozen<v1::ResourceSlice> shown = WithTaints(slice.published);
    if (shown == slice.shown || shown->spec == slice.shown->spec) continue;
    slice.shown = shown;
    changes.emplace_back(std::move(shown));
  }
  return changes;
}

}  // namespace dray::scheduler::inline cluster
