// SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.h"

#include <cstddef>
#include <memory>
#include <string_view>

#include <gtest/gtest.h>

#include "base/result.h"
#include "store/record.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store {
namespace {

using testing::Backend;
using testing::BackendName;
using testing::Do;
using testing::PutOf;
using testing::StoreCommit;
using testing::StoreExpiry;
using testing::StoreLimits;
using testing::StoreProperty;
using testing::StoreReading;
using testing::StoreThreads;
using testing::StoreWatching;

auto Memory() {
  return ::testing::Values(Backend{
      .name = "Memory",
      .open = [](const Options& options) { return std::make_unique<MemoryStore>(options); },
  });
}

INSTANTIATE_TEST_SUITE_P(, StoreCommit, Memory(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreLimits, Memory(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreReading, Memory(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreWatching, Memory(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreExpiry, Memory(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreProperty, Memory(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreThreads, Memory(), BackendName);

class Unencoded final : public Value {
 public:
  std::string bytes() const override {
    ADD_FAILURE() << "the store in memory has no use for bytes";
    return "";
  }
  size_t size() const override { return 100; }
};

TEST(MemoryStore, NeverAsksForBytes) {
  MemoryStore store;
  const Txn txn{
      .compares = {},
      .operations = {Put{.key = "/r/pods/a", .value = std::make_shared<const Unencoded>()}}};
  Do(store, txn);
  Do(store, txn);
  EXPECT_EQ(store.EventsAfter(kFirstRevision, "/r/pods/", 10)->events.size(), 2U);
  EXPECT_EQ((*store.ReadAt(kFirstRevision))->size(), 0U);
  EXPECT_EQ(store.status().live_bytes, 100U + std::string_view("/r/pods/a").size());
}

TEST(MemoryStore, AnswersBeforeCommitReturns) {
  MemoryStore store;
  bool answered = false;
  store.Commit(PutOf("k", "v"), [&](const Result<CommitOutcome>&) { answered = true; });
  EXPECT_TRUE(answered);
}

}  // namespace
}  // namespace dray::store
