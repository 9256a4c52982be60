// SPDX-License-Identifier: Apache-2.0
// What `/metrics` says of claims, under the names that kube-controller-manager gives: those since
// 1.37, and those before.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "api/object.h"
#include "metrics/registry.h"

namespace dray::controllers {

/// Belongs to one thread.
class ClaimMetrics {
 public:
  /// `registry` outlives it.
  explicit ClaimMetrics(metrics::Registry& registry) : registry_(registry) {}

  /// A claim for an owner of the kind was written, or was not.
  void CountCreation(const api::Object& claim, std::string_view owner_kind, bool is_written);
  /// A claim of the mirror before and after a change; null: none.
  void CountChange(const api::Object* before, const api::Object* after);

 private:
  /// Allocated, admin access, source: the values of their labels.
  using Sort = std::tuple<bool, bool, std::string_view>;
  struct Count {
    size_t claims = 0;
    metrics::Gauge now, before;  // under both names
  };
  static Sort SortOf(const api::Object& claim);
  void Change(const Sort& sort, int by);

  metrics::Registry& registry_;
  std::map<Sort, Count> counts_;
};

}  // namespace dray::controllers
