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
#include "base/frozen.h"
#include "scheduler/cluster/keyed_selector.h"

namespace dray::scheduler::inline cluster {

/// Whether `pod` has any rule about other pods.
bool HasPodAffinity(const api::core_v1::Pod& pod);

/// Selects other pods, and the topology key that defines the same place. Refers to strings of its
/// pod.
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
  /// `pod` must outlive this. O(size of its rules).
  explicit AffinityRules(const api::core_v1::Pod& pod);
  /// The same for an object, which the result keeps alive. Null: the pod has no such rules.
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
