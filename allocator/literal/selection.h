// SPDX-License-Identifier: Apache-2.0
// Whether a device satisfies the class and the selectors of a request. Evaluated only when the
// search gets there, and once per request and device: errors are as lazy as upstream's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "allocator/rules/plan.h"
#include "allocator/rules/pools.h"
#include "allocator/rules/release_rules.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/device_selector.h"
#include "base/result.h"
#include "base/work.h"
#include "cel/device.h"
#include "cel/device_activation.h"
#include "cel/selector.h"
#include "cel/selector_cache.h"

namespace dray::allocator::literal {

/// Answers for one node. Not thread-safe: one search owns it.
class Selection {
 public:
  Selection(const api::core_v1::Node& node,
            const rules::GatheredPools& gathered,
            const Features& features,
            cel::SelectorCache& cache,
            Work& work)
      : node_(node),
        features_(features),
        rules_(rules::RulesOf(features)),
        cache_(cache),
        work_(work),
        views_(gathered.device_count) {}

  /// Class selectors first, then the request's, then the device's own choice of nodes.
  /// Errors: kInvalid          a selector does not compile or fails on this device; names class or
  ///                           claim, selector and device.
  ///         kTooManyRequests  is_spent().
  Result<bool> IsSelectable(const rules::Criteria& criteria, const rules::DeviceEntry& device);

  /// The environment of the selectors.
  const cel::Environment& environment() const { return cache_.environment(); }

  /// The device as expressions see it.
  const cel::DeviceActivation& View(const rules::DeviceEntry& device);

  /// What the search may take, with the evaluation of expressions.
  Work& work() const { return work_; }
  /// Errors: kTooManyRequests  is_spent().
  Result<> CheckWork() const;
  /// The search is out of budget.
  bool is_spent() const { return work_.is_spent(); }

 private:
  enum class Answer : uint8_t { kUnknown, kYes, kNo };

  Result<bool> Evaluate(const rules::Criteria& criteria, const rules::DeviceEntry& device);
  struct Owner {
    std::string_view word, name;  // "class" or "claim", and which
  };
  Result<bool> AllTrue(Owner owner,
                       std::span<const api::resource_v1::DeviceSelector> selectors,
                       const rules::DeviceEntry& device);

  const api::core_v1::Node& node_;
  const Features& features_;
  const rules::Rules& rules_;
  cel::SelectorCache& cache_;
  Work& work_;
  std::vector<std::vector<Answer>> answers_;                   // by row, then device
  std::vector<std::unique_ptr<cel::DeviceActivation>> views_;  // by device, made when needed
};

}  // namespace dray::allocator::literal
