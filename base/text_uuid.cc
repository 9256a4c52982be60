// SPDX-License-Identifier: Apache-2.0
#include "base/text_uuid.h"

#include <cstdint>

#include "base/world.h"

namespace dray {
namespace {

/// Random numbers that depend on a text: FNV-1a, then one more round for each.
class TextNumbers final : public Random {
 public:
  explicit TextNumbers(std::string_view text) { Mix(text); }

  uint64_t Next() override {
    Mix("next");
    uint64_t mixed = hash_;  // The finisher of SplitMix64, because FNV's upper bits are too
                             // similar.
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

std::string UuidOf(std::string_view text) {
  TextNumbers numbers(text);
  return NewUuid(numbers);
}

}  // namespace dray
