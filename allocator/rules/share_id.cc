// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/share_id.h"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "base/world.h"

namespace dray::allocator {
namespace {

/// Numbers that depend on a text: FNV-1a, then one more round for each.
class TextNumbers final : public Random {
 public:
  explicit TextNumbers(std::string_view text) { Mix(text); }

  uint64_t Next() override {
    Mix("next");
    uint64_t mixed = hash_;  // the finisher of SplitMix64: FNV leaves the upper bits too alike
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EB;
    return mixed ^ (mixed >> 31U);
  }

 private:
  void Mix(std::string_view text) {
    for (const char c : text) {
      hash_ ^= static_cast<unsigned char>(c);
      hash_ *= 0x100'0000'01B3;
    }
  }

  uint64_t hash_ = 0xCBF2'9CE4'8422'2325;
};

}  // namespace

std::string ShareIdOf(const ClaimPlan& plan, const Variant& variant, const DeviceEntry& device) {
  TextNumbers numbers(fmt::format("{}\n{}\n{}\n{}",
                                  plan.claim->metadata.uid,
                                  plan.key,
                                  variant.name.Full(),
                                  device.id().ToString()));
  return NewUuid(numbers);
}

}  // namespace dray::allocator
