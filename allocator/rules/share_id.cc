// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/share_id.h"

#include <cstdint>
#include <string_view>

#include "base/world.h"

namespace dray::allocator::rules {
namespace {

/// Numbers that depend on texts: FNV-1a, then one more round for each.
class TextNumbers final : public Random {
 public:
  TextNumbers& Mix(std::string_view text) {
    for (const char c : text) {
      hash_ ^= static_cast<unsigned char>(c);
      hash_ *= 0x100'0000'01B3;
    }
    return *this;
  }

  uint64_t Next() override {
    Mix("next");
    uint64_t mixed = hash_;  // the finisher of SplitMix64: FNV leaves the upper bits too alike
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EB;
    return mixed ^ (mixed >> 31U);
  }

 private:
  uint64_t hash_ = 0xCBF2'9CE4'8422'2325;
};

}  // namespace

std::string ShareIdOf(const ClaimPlan& plan, const Variant& variant, const DeviceEntry& device) {
  TextNumbers numbers;
  numbers.Mix(plan.claim->metadata.uid).Mix("\n").Mix(plan.key).Mix("\n");
  numbers.Mix(variant.name.base).Mix("/").Mix(variant.name.alternative).Mix("\n");
  const DeviceIdView id = device.id();
  numbers.Mix(id.driver).Mix("/").Mix(id.pool).Mix("/").Mix(id.device);
  return NewUuid(numbers);
}

}  // namespace dray::allocator::rules
