// SPDX-License-Identifier: Apache-2.0
#include "dray/selector.h"

#include <utility>

#include "allocator/rules/release_rules.h"
#include "allocator/rules/selector_environment.h"
#include "allocator/selector_cache.h"
#include "api/resource_v1/slice.h"
#include "base/try.h"
#include "cel/api_device.h"
#include "cel/device_activation.h"
#include "cel/language/time_zones.h"
#include "cel/selector.h"

namespace dray::allocator {

static_assert(Selector::kCostMax == cel::kSelectorCostMax);

class Selector::Impl {
 public:
  explicit Impl(cel::Selector compiled) : selector(std::move(compiled)) {}

  const cel::Selector selector;
};

Selector::Selector(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<Selector> Selector::Compile(std::string_view expression, const Features& features) {
  DRAY_TRY(cel::Selector compiled,
           cel::Selector::Compile(expression, rules::EnvironmentOf(features)));
  return Selector(std::make_shared<const Impl>(std::move(compiled)));
}

Result<bool> Selector::Matches(std::string_view driver,
                               const api::resource_v1::Device& device) const {
  const cel::DeviceActivation view(cel::DeviceOf(driver, device));
  const cel::Evaluation evaluation = impl_->selector.Evaluate(view);
  if (const cel::EvaluationError* error = evaluation.error())
    return Fail(StatusReason::kInvalid, cel::WithHint(error->message));
  return evaluation.matches();
}

uint64_t Selector::EstimatedCost() const {
  return impl_->selector.EstimatedCost().max;
}

std::shared_ptr<SelectorCache> v0::SelectorCacheFor(const Features& features,
                                                    size_t entries_max,
                                                    ReadZoneFile zone_files) {
  const cel::Environment environment = rules::EnvironmentOf(features);
  if (!zone_files) return std::make_shared<SelectorCache>(environment, entries_max);
  // The zones live as long as the cache that refers to them.
  struct Owner {
    Owner(ReadZoneFile read, cel::Environment environment, size_t entries_max)
        : zones(std::move(read)), cache(With(environment, zones), entries_max) {}
    static cel::Environment With(cel::Environment environment, const cel::TimeZones& zones) {
      environment.time_zones = &zones;
      return environment;
    }
    const cel::TimeZones zones;
    SelectorCache cache;
  };
  auto owner = std::make_shared<Owner>(std::move(zone_files), environment, entries_max);
  return {owner, &owner->cache};
}

}  // namespace dray::allocator
