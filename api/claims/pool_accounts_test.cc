// SPDX-License-Identifier: Apache-2.0
#include "api/claims/pool_accounts.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/object.h"

namespace dray::api::claims {
namespace {

namespace v1 = resource_v1;

v1::Device DeviceOf(std::string_view content) {
  const std::string json =
      R"({"metadata":{"name":"s"},"spec":{"devices":[{"name":"a",)" + std::string(content) + "}]}}";
  const Result<Object> slice = DecodeJson(Reflected<v1::ResourceSlice>::kKind, json, nullptr);
  EXPECT_TRUE(slice.has_value()) << json;
  return slice->As<v1::ResourceSlice>().spec.devices.at(0);
}

Quantity Of(std::string_view text) {
  return *Quantity::Parse(text);
}

TEST(PoolAccounts, NamesWithAndWithoutTheDomainAreOneCapacity) {
  const v1::Device device =
      DeviceOf(R"("capacity":{"m":{"value":"8"},"d.io/both":{"value":"1"},"both":{"value":"2"}})");
  EXPECT_EQ(FindCapacity(device, "d.io/m", "d.io")->first, "m");
  EXPECT_EQ(FindCapacity(device, "m", "d.io")->first, "m");
  EXPECT_EQ(FindCapacity(device, "e.io/m", "d.io"), nullptr);
  EXPECT_EQ(FindCapacity(device, "d.io/both", "d.io")->second.value, Of("1"));
  EXPECT_EQ(FindCapacity(device, "both", "d.io")->second.value, Of("2"));
}

TEST(PoolAccounts, WhatIsNotNamedIsTakenWhole) {
  const v1::Device device = DeviceOf(R"("capacity":{"m":{"value":"8"},"n":{"value":"4"}})");
  const auto amounts = [&](const Map<Quantity>& consumed) {
    return AmountsOf(device, consumed, "d");
  };
  EXPECT_EQ(amounts({}), (Amounts{{"m", Of("8")}, {"n", Of("4")}}));
  EXPECT_EQ(amounts({{"m", Of("1")}, {"d/m", Of("2")}}), (Amounts{{"m", Of("3")}, {"n", Of("4")}}));
  EXPECT_EQ(amounts({{"m", Of("-1")}, {"n", Of("1")}, {"x", Of("9")}}),
            (Amounts{{"m", Of("8")}, {"n", Of("1")}}));
}

TEST(PoolAccounts, TheFirstExceededCapacityIsFound) {
  const v1::Device device = DeviceOf(R"("capacity":{"m":{"value":"8"},"n":{"value":"4"}})");
  const Amounts one = {{"m", Of("4")}, {"n", Of("4")}};
  const Amounts two = {{"m", Of("4")}, {"n", Of("1m")}};
  const Amounts* const fits[] = {&one, nullptr};
  EXPECT_FALSE(FindExceeded(device, fits).has_value());
  const Amounts* const both[] = {&one, &two};
  ASSERT_TRUE(FindExceeded(device, both).has_value());
  EXPECT_EQ(FindExceeded(device, both)->name, "n");
  EXPECT_EQ(FindExceeded(device, both)->taken, Of("4001m"));
}

TEST(PoolAccounts, CountersThatNoSetHasAreFound) {
  const v1::Device device =
      DeviceOf(R"("consumesCounters":[{"counterSet":"s","counters":{"a":{"value":"1"}}}])");
  CounterAccount account;
  EXPECT_EQ(account.FindUnknown(device), CounterAccount::CounterName("s", "a"));
  v1::CounterSet set;
  set.name = "s";
  EXPECT_TRUE(account.Add(set));
  EXPECT_EQ(account.FindUnknown(device), CounterAccount::CounterName("s", "a"));
  CounterAccount full;
  set.counters["a"].value = Of("1");
  EXPECT_TRUE(full.Add(set));
  EXPECT_FALSE(full.Add(set)) << "the same again";
  EXPECT_EQ(full.FindUnknown(device), std::nullopt);
  EXPECT_TRUE(full.Draw(device));
  EXPECT_FALSE(full.Draw(device));
  EXPECT_EQ(full.ShortageFor(device)->left, Of("0"));
}

}  // namespace
}  // namespace dray::api::claims
