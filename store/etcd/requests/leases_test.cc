// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/requests/leases.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "base/world.h"

namespace dray::store::etcd::requests {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WallTime kNow{hours(24 * 365)};

TEST(EtcdLeases, ARecordOutlivesItsExpiryALittle) {
  const seconds longest = Leases::kSlackMax * Leases::kSlackOfLife;  // with a twentieth of it
  for (const seconds life : {longest - seconds(20), longest, longest + seconds(20)}) {
    EXPECT_EQ(Leases::TtlSeconds(kNow + life, kNow),
              (life + std::min(life / Leases::kSlackOfLife, Leases::kSlackMax)).count());
  }
  EXPECT_EQ(Leases::TtlSeconds(kNow + hours(1), kNow), 3600 + 60) << "a minute at most";
  EXPECT_EQ(Leases::TtlSeconds(kNow + seconds(100), kNow), 105) << "or a twentieth";
  EXPECT_EQ(Leases::TtlSeconds(kNow + milliseconds(1), kNow), 1) << "whole seconds";
  EXPECT_EQ(Leases::TtlSeconds(kNow - hours(1), kNow), 1) << "what is due already goes soon";
}

TEST(EtcdLeases, NearExpiriesShareOne) {
  Leases leases;
  const WallTime expiry = kNow + hours(1);
  EXPECT_EQ(leases.Take(expiry, kNow), std::nullopt);
  leases.Add(7, Leases::TtlSeconds(expiry, kNow), kNow);
  EXPECT_EQ(leases.Take(expiry, kNow), 7);
  EXPECT_EQ(leases.Take(expiry + seconds(60), kNow + seconds(60)), 7) << "at the end of its slack";
  EXPECT_EQ(leases.Take(expiry + seconds(61), kNow + seconds(61)), std::nullopt);
  EXPECT_EQ(leases.Take(expiry - seconds(10), kNow), std::nullopt) << "it would stay too long";
  EXPECT_EQ(leases.Take(expiry, kNow + hours(2)), std::nullopt) << "it has ended";
}

TEST(EtcdLeases, OneHasAMostOfRecords) {
  Leases leases;
  const WallTime expiry = kNow + hours(1);
  leases.Add(7, Leases::TtlSeconds(expiry, kNow), kNow);
  for (size_t i = 1; i < Leases::kRecordsMax; ++i) ASSERT_EQ(leases.Take(expiry, kNow), 7);
  EXPECT_EQ(leases.Take(expiry, kNow), std::nullopt);
  leases.Add(8, Leases::TtlSeconds(expiry, kNow), kNow);
  EXPECT_EQ(leases.Take(expiry, kNow), 8);
  leases.Forget(8);
  EXPECT_EQ(leases.Take(expiry, kNow), std::nullopt);
}

TEST(EtcdLeases, RememberedOnesHaveAMost) {
  Leases leases;
  for (size_t i = 0; i <= Leases::kLeasesMax; ++i) {
    leases.Add(static_cast<int64_t>(i), static_cast<int64_t>(100 + 100 * i), kNow);
  }
  EXPECT_EQ(leases.size(), Leases::kLeasesMax);
  EXPECT_EQ(leases.Take(kNow + seconds(97), kNow), std::nullopt) << "the first to end is forgotten";
}

}  // namespace
}  // namespace dray::store::etcd::requests
