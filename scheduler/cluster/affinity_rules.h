// SPDX-License-Identifier: Apache-2.0
// The rules of a pod about other pods (affinity and anti-affinity), read once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/core_v1/affinity.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "base/published.h"
#include "scheduler/cluster/keyed_selector.h"

namespace dray::scheduler::inline cluster {

/// Whether `pod` has any rule about other pods.
bool HasPodAffinity(const api::core_v1::Pod& pod);

/// Other pods, and what counts as the same place. Refers to the texts of its pod.
struct AffinityTerm {
  std::string_view topology_key;
  KeyedSelector selector;
  std::vector<std::string_view> namespaces;  // sorted
  std::optional<KeyedSelector> namespace_selector;
  int64_t weight = 0;
};

/// Immutable.
class AffinityRules {
 public:
  /// `pod` outlives this. O(size of its rules).
  explicit AffinityRules(const api::core_v1::Pod& pod);
  /// The same of an object, which is kept as long; null: it has no such rules.
  static Frozen<AffinityRules> Of(const api::Object& pod);

  std::string_view uid() const { return uid_; }  // of the pod
  const std::vector<AffinityTerm>& required() const { return required_; }
  const std::vector<AffinityTerm>& forbidden() const { return forbidden_; }
  const std::vector<AffinityTerm>& preferred() const { return preferred_; }
  const std::vector<AffinityTerm>& disliked() const { return disliked_; }

 private:
  Frozen<api::core_v1::Pod> kept_;
  std::string_view uid_;
  std::vector<AffinityTerm> required_;
  std::vector<AffinityTerm> forbidden_;
  std::vector<AffinityTerm> preferred_;
  std::vector<AffinityTerm> disliked_;
};

}  // namespace dray::scheduler::inline cluster
