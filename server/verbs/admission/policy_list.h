// SPDX-License-Identifier: Apache-2.0
// The policies of one kind that are stored now, with their bindings, ready to be asked.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"
#include "base/mutex.h"
#include "server/policies/compiled_policy.h"
#include "server/verbs/admission/seen_records.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Whether policies are never asked about objects of `kind`: policies themselves, which an
/// administrator must be able to mend, and reviews, which are questions.
bool IsExemptFromPolicies(const api::KindInfo& kind);

/// Keeps the policies of the newest state compiled. Thread-safe. OneBound is a policies::Bound.
template <class OneBound>
class PolicyList {
 public:
  using List = std::vector<OneBound>;

  explicit PolicyList(api::Release release) : release_(release) {}

  /// Whether any policy of the kind has a binding. O(log n).
  static bool AreAny(const store::Snapshot& snapshot) {
    return !RangeOf(BindingKind(), snapshot).empty();
  }

  /// The policies that have bindings in `snapshot`, by name; null when there are none. O(log n) as
  /// long as there is no binding, else O(policies + bindings), and compiling what has changed.
  std::shared_ptr<const List> In(const store::Snapshot& snapshot) {
    if (!AreAny(snapshot)) return nullptr;
    const MutexLock lock(mutex_);
    if (list_ == nullptr || !AreSame(seen_, kKinds, snapshot)) Learn(snapshot);
    return list_;
  }

  /// Whether a binding chose parameters by a selector when a write was last judged: then judging
  /// may take long. O(1).
  bool chooses_parameters() const { return chooses_parameters_; }

 private:
  using Compiled = std::remove_const_t<typename decltype(OneBound::policy)::element_type>;
  using Policy = decltype(Compiled::policy);
  using Binding = typename decltype(OneBound::bindings)::value_type;

  static const api::KindInfo& PolicyKind() { return api::Reflected<Policy>::kKind; }
  static const api::KindInfo& BindingKind() { return api::Reflected<Binding>::kKind; }
  static inline const std::array<const api::KindInfo*, 2> kKinds = {&PolicyKind(), &BindingKind()};

  // A record of a policy, compiled already if it is as it was.
  std::shared_ptr<const Compiled> CompiledOf(const store::Record& record) DRAY_REQUIRES(mutex_) {
    const std::optional<api::Object> object = ReadIfKnown(PolicyKind(), record);
    if (!object.has_value()) return nullptr;
    const auto& policy = object->As<Policy>();
    if (list_ != nullptr) {
      for (const OneBound& one : *list_) {
        const auto& meta = one.policy->policy.metadata;
        const bool is_same = meta.uid == policy.metadata.uid &&
                             meta.resource_version == policy.metadata.resource_version;
        if (is_same) return one.policy;
      }
    }
    return std::make_shared<const Compiled>(policies::CompilePolicy(policy, release_));
  }

  void Learn(const store::Snapshot& snapshot) DRAY_REQUIRES(mutex_) {
    std::map<std::string, OneBound> by_name;
    seen_ = RecordsOf(kKinds, snapshot);
    for (const store::Record& record : RangeOf(PolicyKind(), snapshot)) {
      auto compiled = CompiledOf(record);
      if (compiled == nullptr) continue;
      const std::string name = compiled->policy.metadata.name;
      by_name[name].policy = std::move(compiled);
    }
    for (const store::Record& record : RangeOf(BindingKind(), snapshot)) {
      const std::optional<api::Object> object = ReadIfKnown(BindingKind(), record);
      if (!object.has_value()) continue;
      const auto& binding = object->As<Binding>();
      const auto policy = by_name.find(binding.spec.policy_name);
      if (policy != by_name.end()) policy->second.bindings.push_back(binding);
    }
    auto list = std::make_shared<List>();
    bool chooses = false;
    for (auto& [name, bound] : by_name) {
      if (bound.bindings.empty()) continue;
      chooses = chooses || std::ranges::any_of(bound.bindings, [](const Binding& binding) {
                  const auto& ref = binding.spec.param_ref;
                  return ref.has_value() && ref->selector.has_value();
                });
      list->push_back(std::move(bound));
    }
    chooses_parameters_ = chooses;
    list_ = std::move(list);
  }

  const api::Release release_;
  std::atomic<bool> chooses_parameters_ = false;
  Mutex mutex_;
  std::vector<SeenRecord> seen_ DRAY_GUARDED_BY(mutex_);
  std::shared_ptr<const List> list_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::verbs::admission
