// SPDX-License-Identifier: Apache-2.0
// Transactions whose answer never comes, or for which there is no memory. Each is answered once,
// and its place among those in flight is free again.
#include "store/etcd/requests/committer.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/bounded_queue.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/testing/failing_memory.h"
#include "store/etcd/mirror/mirror.h"
#include "store/etcd/mirror/revision_waiters.h"
#include "store/etcd/options.h"
#include "store/etcd/requests/callback_thread.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/messages.h"
#include "store/history.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/tree.h"

namespace dray::store::etcd::requests {
namespace {

constexpr Revision kBefore{10};

/// Keeps each request until the test answers or drops it.
class KeepingClient final : public rpc::Client {
 public:
  void Txn(const rpc::TxnQuery& /*query*/,
           rpc::Timeout /*timeout*/,
           rpc::Receive<rpc::TxnAnswer> receive) override {
    txn = std::move(receive);
  }
  void GrantLease(int64_t /*ttl_seconds*/,
                  rpc::Timeout /*timeout*/,
                  rpc::Receive<rpc::LeaseAnswer> receive) override {
    lease = std::move(receive);
  }
  void Close() override {}
  void Range(const rpc::RangeQuery& /*query*/,
             rpc::Timeout /*timeout*/,
             rpc::Receive<rpc::RangeAnswer> /*receive*/) override {}
  void Compact(Revision /*revision*/,
               rpc::Timeout /*timeout*/,
               rpc::Receive<Revision> /*receive*/) override {}
  void StatusAt(size_t /*endpoint*/,
                rpc::Timeout /*timeout*/,
                rpc::Receive<rpc::StatusAnswer> /*receive*/) override {}
  void HashKv(size_t /*endpoint*/,
              Revision /*revision*/,
              rpc::Timeout /*timeout*/,
              rpc::Receive<rpc::HashAnswer> /*receive*/) override {}
  void StatusForWatch(size_t /*endpoint*/,
                      rpc::Timeout /*timeout*/,
                      rpc::Receive<rpc::StatusAnswer> /*receive*/) override {}
  rpc::Answer<bool> SaveSnapshot(size_t /*endpoint*/, const SnapshotSink& /*sink*/) override {
    return false;
  }
  std::unique_ptr<rpc::Watch> StartWatch(size_t /*endpoint*/,
                                         const rpc::WatchQuery& /*query*/) override {
    return nullptr;
  }
  size_t endpoint_count() const override { return 1; }
  const std::string& url(size_t /*endpoint*/) const override { return url_; }
  void Prefer(size_t /*endpoint*/) override {}

  rpc::Receive<rpc::TxnAnswer> txn;
  rpc::Receive<rpc::LeaseAnswer> lease;

 private:
  const std::string url_ = "http://etcd:2379";
};

class CommitterTest : public ::testing::Test {
 protected:
  static store::Txn PutOf(std::optional<WallTime> expiry = std::nullopt) {
    return {
        .operations = {Put{.key = "/registry/a", .value = MakeBytes("value"), .expiry = expiry}}};
  }

  /// Commits, and adds the outcome to outcomes_.
  void Commit(store::Txn txn) {
    committer_.Commit(std::move(txn), [this](Result<CommitOutcome> outcome) {
      const dray::testing::AllocationsNotCounted not_counted;
      EXPECT_TRUE(outcomes_.TryPush(std::move(outcome)));
    });
  }
  Result<CommitOutcome> NextOutcome() { return outcomes_.Pop().value(); }
  static rpc::TxnAnswer NothingChanged() {
    return {.succeeded = true, .revision = kBefore, .changed = {false}};
  }
  /// Commits once more, and returns whether that is answered as usual.
  bool HasPlace() {
    Commit(PutOf());
    if (client_.txn == nullptr) return false;
    std::exchange(client_.txn, nullptr)(NothingChanged());
    return NextOutcome().has_value();
  }

  SimulatedWorld world_{7};
  const EtcdOptions options_{.commits_in_flight_max = 1};
  KeepingClient client_;
  History history_{store::Options{}, std::make_shared<const Snapshot>(kBefore, Tree())};
  mirror::Mirror mirror_{"/registry/", [](std::string_view /*key*/, std::string_view bytes) {
                           return MakeBytes(bytes);
                         }};
  mirror::RevisionWaiters waiters_{kBefore};
  BoundedQueue<Result<CommitOutcome>> outcomes_{8};
  CallbackThread callbacks_{8};
  Committer committer_{{.world = world_.world(),
                        .options = options_,
                        .client = client_,
                        .history = history_,
                        .mirror = mirror_,
                        .waiters = waiters_,
                        .callbacks = callbacks_,
                        .request_progress = [] {}}};
};

TEST_F(CommitterTest, ATransactionWhoseAnswerNeverComesIsAnsweredAndGivesItsPlaceBack) {
  Commit(PutOf());
  client_.txn = nullptr;  // dropped
  const auto outcome = NextOutcome();
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().reason, StatusReason::kTimeout) << "it may have been carried out";
  EXPECT_TRUE(HasPlace());
}

TEST_F(CommitterTest, ALeaseThatIsNeverGrantedEndsThoseThatWaitForIt) {
  Commit(PutOf(world_.world().clock.Now() + std::chrono::minutes(1)));
  ASSERT_NE(client_.lease, nullptr);
  client_.lease = nullptr;  // dropped
  const auto outcome = NextOutcome();
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().reason, StatusReason::kServiceUnavailable) << "it was never sent";
  EXPECT_TRUE(HasPlace());
}

TEST_F(CommitterTest, ACommitThatFindsNoMemoryIsAnsweredOrThrows) {
  if (!dray::testing::WhyAllocationsSucceed().empty())
    GTEST_SKIP() << dray::testing::WhyAllocationsSucceed();
  bool has_failed = true;
  for (int at = 0; has_failed; ++at) {
    bool has_thrown = false;
    store::Txn txn = PutOf(world_.world().clock.Now() + std::chrono::minutes(1));
    dray::testing::TakeAllocationFailed();
    dray::testing::FailAllocationAfter(at);
    try {
      Commit(std::move(txn));
    } catch (const std::bad_alloc&) {
      has_thrown = true;
    }
    dray::testing::FailAllocationAfter(-1);
    has_failed = dray::testing::TakeAllocationFailed();
    client_.lease = nullptr;
    if (!has_thrown) EXPECT_FALSE(NextOutcome().has_value()) << at;
    EXPECT_EQ(outcomes_.size(), 0U) << at;
    ASSERT_TRUE(HasPlace()) << at;
  }
}

}  // namespace
}  // namespace dray::store::etcd::requests
