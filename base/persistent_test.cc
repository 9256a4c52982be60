// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/persistent_map.h"
#include "base/persistent_vector.h"

namespace dray {
namespace {

/// A step of a simple generator: enough to mix things up.
uint64_t Step(uint64_t& state) {
  state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
  return state >> 33U;
}

// A thread reads its copy and drops it before the owner changes the node in place. Only
// ThreadSanitizer sees a missing order, because the flag is relaxed.
TEST(PersistentMap, AChangeInPlaceComesAfterWhatOthersRead) {
  PersistentMap<uint64_t> map;
  map["key"] = 1;
  std::atomic<bool> is_dropped = false;
  std::thread reader(
      [&is_dropped, copy = std::make_unique<PersistentMap<uint64_t>>(map)]() mutable {
        EXPECT_EQ(*copy->Find("key"), 1U);
        copy.reset();
        is_dropped.store(true, std::memory_order_relaxed);
      });
  while (!is_dropped.load(std::memory_order_relaxed)) std::this_thread::yield();
  map["key"] = 2;
  reader.join();
  EXPECT_EQ(*map.Find("key"), 2U);
}

TEST(PersistentVector, CopiesKeepWhatTheySaw) {
  PersistentVector<uint64_t> now;
  std::vector<uint64_t> expected;
  std::vector<std::pair<PersistentVector<uint64_t>, std::vector<uint64_t>>> copies;
  uint64_t random = 1;
  for (int i = 0; i < 3000; ++i) {
    const size_t at = Step(random) % 2000;
    const uint64_t value = Step(random);
    if (at >= expected.size()) expected.resize(at + 1);
    expected[at] = value;
    now.Set(at, value);
    if (i % 100 == 0) copies.emplace_back(now, expected);
  }
  copies.emplace_back(now, expected);
  for (const auto& [copy, values] : copies) {
    ASSERT_EQ(copy.size(), values.size());
    for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(copy[i], values[i]);
  }
}

TEST(PersistentMap, CopiesKeepWhatTheySaw) {
  using Expected = std::map<std::string, uint64_t>;
  PersistentMap<uint64_t> now;
  Expected expected;
  std::vector<std::pair<PersistentMap<uint64_t>, Expected>> copies;
  uint64_t random = 2;
  for (int i = 0; i < 5000; ++i) {
    const std::string key = "key-" + std::to_string(Step(random) % 700);
    if (Step(random) % 3 == 0) {
      now.Erase(key);
      expected.erase(key);
    } else {
      expected[key] = Step(random);
      now[key] = expected[key];
    }
    if (i % 500 == 0) copies.emplace_back(now, expected);
  }
  copies.emplace_back(now, expected);
  for (const auto& [copy, entries] : copies) {
    Expected seen;
    copy.ForEach([&](const std::string& key, uint64_t value) { seen[key] = value; });
    ASSERT_EQ(seen, entries);
    ASSERT_EQ(copy.size(), entries.size());
    for (const auto& [key, value] : entries) ASSERT_EQ(*copy.Find(key), value);
  }
  EXPECT_EQ(now.Find("another"), nullptr);
}

}  // namespace
}  // namespace dray
