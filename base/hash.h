// SPDX-License-Identifier: Apache-2.0
// Hashes of several values, for hash tables. They differ between machines and versions, so they
// must not be stored or sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace dray {

/// The hash of all values added, in order. Equal sequences have equal hashes; different ones rarely
/// do.
class Hasher {
 public:
  Hasher& Add(uint64_t number) {
    // The multiply-and-fold of wyhash: both halves of the product carry all bits.
    const __uint128_t product = static_cast<__uint128_t>(state_ ^ number) * 0x9E37'79B9'7F4A'7C15;
    state_ = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U) ^ kRound;
    return *this;
  }
  Hasher& Add(std::string_view text) { return Add(std::hash<std::string_view>()(text)); }

  uint64_t value() const { return state_; }

 private:
  static constexpr uint64_t kRound = 0xA076'1D64'78BD'642F;
  uint64_t state_ = kRound;
};

}  // namespace dray
