// SPDX-License-Identifier: Apache-2.0
// For tests and fuzzing: selectors and devices drawn from a seed, which use the same names and
// values.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/value/quantity.h"
#include "cel/device.h"
#include "cel/value/value.h"

namespace dray::cel::testing {

/// Draws the texts of selectors. Nearly all of them compile with list attributes; many fail on
/// some devices.
class RandomSelector {
 public:
  explicit RandomSelector(uint64_t seed) : random_(seed) {}

  std::string Draw();

 private:
  std::string Condition(int depth);
  std::string Atom();
  std::string Comparison();
  std::string Method();
  std::string Loop();
  std::string Attribute();
  std::string Scalar();
  size_t Below(size_t bound) { return random_() % bound; }
  std::string_view Pick(std::span<const std::string_view> choice) {
    return choice[Below(choice.size())];
  }

  std::mt19937_64 random_;
};

/// Draws devices and keeps what they refer to.
class RandomDevices {
 public:
  explicit RandomDevices(uint64_t seed) : random_(seed) {}

  /// One device; `wide` makes numbers and texts nearly all different.
  const Device& Draw(bool wide);

 private:
  AttributeValue Value(bool wide);
  std::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  size_t Below(size_t bound) { return random_() % bound; }

  std::mt19937_64 random_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::string>> lists_;
  std::deque<std::vector<int64_t>> numbers_;
  std::deque<api::Quantity> quantities_;
  std::deque<Device> devices_;
};

}  // namespace dray::cel::testing
