// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/compaction.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr MonotonicTime At(minutes since) {
  return MonotonicTime(since);
}

/// etcd's side of the agreement.
struct KeyOfCompaction {
  int64_t version = 0;
  std::string value{};

  rpc::TxnAnswer Answer(const rpc::TxnQuery& query, int64_t revision) {
    const rpc::TxnQuery::Condition& condition = query.conditions.at(0);
    EXPECT_EQ(condition.key, "compact_rev_key");
    EXPECT_EQ(condition.of, rpc::TxnQuery::Condition::Of::kVersion);
    if (condition.equals == version) {
      ++version;
      value = *query.writes.at(0).value;
      return {.succeeded = true, .revision = Revision{revision}, .changed = {true}};
    }
    return {.succeeded = false,
            .revision = Revision{revision},
            .read = {rpc::KeyValue{.key = "compact_rev_key", .value = value, .version = version}}};
  }
};

TEST(EtcdCompaction, OneServerCompactsWhatWasNewestOneIntervalAgo) {
  Compaction a(minutes(5), At(minutes(0)));
  Compaction b(minutes(5), At(minutes(0)));
  KeyOfCompaction key;
  EXPECT_EQ(a.Try(At(minutes(4))), std::nullopt);
  EXPECT_EQ(a.Next(key.Answer(a.Try(At(minutes(5))).value(), 100)), std::nullopt)
      << "the first time, etcd's earlier revision is unknown";
  EXPECT_EQ(a.Try(At(minutes(6))), std::nullopt) << "once an interval";
  EXPECT_EQ(b.Next(key.Answer(b.Try(At(minutes(5))).value(), 105)), std::nullopt) << "too late";
  EXPECT_EQ(key.version, 1);
  EXPECT_EQ(b.Next(key.Answer(b.Try(At(minutes(10))).value(), 200)), Revision{105});
  EXPECT_EQ(key.value, "105");
  EXPECT_EQ(a.Next(key.Answer(a.Try(At(minutes(10))).value(), 201)), std::nullopt);
  EXPECT_EQ(a.Next(key.Answer(a.Try(At(minutes(15))).value(), 300)), Revision{201});
  EXPECT_EQ(key.version, 3);
}

TEST(EtcdCompaction, AServerThatComesLaterLearns) {
  KeyOfCompaction key{.version = 41, .value = "7"};
  Compaction late(minutes(5), At(minutes(0)));
  EXPECT_EQ(late.Next(key.Answer(late.Try(At(minutes(5))).value(), 100)), std::nullopt);
  EXPECT_EQ(late.Next(key.Answer(late.Try(At(minutes(10))).value(), 200)), Revision{100});
  EXPECT_EQ(key.version, 42);
}

TEST(EtcdCompaction, AnIntervalOfZeroIsNever) {
  Compaction never(minutes(0), At(minutes(0)));
  EXPECT_EQ(never.Try(At(hours(1000))), std::nullopt);
}

}  // namespace
}  // namespace dray::store::etcd
