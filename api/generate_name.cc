// SPDX-License-Identifier: Apache-2.0
#include "api/generate_name.h"

#include <cstdint>

namespace dray::api {

std::string GenerateName(std::string_view base, Random& random) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr int kSuffixLength = 5;
  std::string name(base.substr(0, kGeneratePrefixMax));
  // One draw has room for all five letters; the bias of the modulus is far below one in a billion.
  uint64_t draw = random.Next();
  for (int i = 0; i < kSuffixLength; ++i) {
    name += kLetters[draw % kLetters.size()];
    draw /= kLetters.size();
  }
  return name;
}

void NameIfAsked(meta_v1::ObjectMeta& meta, Random& random) {
  if (!meta.name.empty() || meta.generate_name.empty()) return;
  meta.name = GenerateName(meta.generate_name, random);
}

}  // namespace dray::api
