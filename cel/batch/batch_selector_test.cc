// SPDX-License-Identifier: Apache-2.0
#include "cel/batch/batch_selector.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/device.h"
#include "cel/device_activation.h"
#include "cel/testing/random_selector.h"

namespace dray::cel::batch {
namespace {

struct Fleet {
  explicit Fleet(uint64_t seed, bool wide, size_t size) : devices(seed) {
    DeviceTableBuilder builder;
    for (size_t i = 0; i < size; ++i) {
      const Device& device = devices.Draw(wide);
      builder.Add(device);
      drawn.push_back(&device);
      activations.push_back(std::make_unique<DeviceActivation>(device));
    }
    table = builder.Build();
  }

  /// A table of these parts only.
  std::shared_ptr<const DeviceTable> TableOf(const PartsRead& parts) const {
    DeviceTableBuilder builder(parts);
    for (const Device* device : drawn) builder.Add(*device);
    return builder.Build();
  }

  testing::RandomDevices devices;
  std::vector<const Device*> drawn;
  std::vector<std::unique_ptr<DeviceActivation>> activations;
  std::shared_ptr<const DeviceTable> table;
};

// How often devices matched, failed or neither.
struct Tally {
  size_t matched = 0;
  size_t failed = 0;
  size_t neither = 0;
};

// Empty if batch and scalar agree on all devices of the table, which are those of the fleet.
std::string Disagreement(const Selector& selector,
                         const Fleet& fleet,
                         const DeviceTable& table,
                         Tally* tally = nullptr) {
  const BatchSelector batch(selector);
  Outcomes outcomes;
  const uint64_t bound = batch.Evaluate(table, outcomes);
  for (size_t lane = 0; lane < table.size(); ++lane) {
    const Evaluation wanted = selector.Evaluate(*fleet.activations[lane]);
    if (wanted.cost > bound) {
      return fmt::format("lane {}: cost {} above the bound {}", lane, wanted.cost, bound);
    }
    const bool failed = wanted.error() != nullptr;
    if (tally != nullptr)
      ++(failed ? tally->failed : wanted.matches() ? tally->matched : tally->neither);
    if (outcomes.matched.Has(lane) == wanted.matches() && outcomes.failed.Has(lane) == failed) {
      continue;
    }
    return fmt::format("lane {}: wanted {}{}",
                       lane,
                       wanted.matches(),
                       failed ? ", error " + wanted.error()->message : "");
  }
  return "";
}

// The same on a table of all parts, and on one of those that the selector reads.
std::string Disagreement(const Selector& selector, const Fleet& fleet, Tally* tally = nullptr) {
  std::string on_all = Disagreement(selector, fleet, *fleet.table, tally);
  if (!on_all.empty()) return on_all;
  const PartsRead reads = BatchSelector(selector).reads();
  if (reads.all) return "";
  const std::string on_read = Disagreement(selector, fleet, *fleet.TableOf(reads));
  return on_read.empty() ? "" : "of what it reads: " + on_read;
}

class BatchAgreement : public ::testing::TestWithParam<bool> {};

// A million pairs of selector and device, half of them with columns of many different values.
TEST_P(BatchAgreement, WithTheScalarEvaluatorOnHalfAMillionPairs) {
  constexpr size_t kDevices = 1000;
  constexpr size_t kSelectors = 500;
  const Fleet fleet(7, GetParam(), kDevices);
  testing::RandomSelector texts(GetParam() ? 11 : 13);
  size_t compiled = 0;
  Tally tally;
  for (size_t drawn = 0; compiled < kSelectors; ++drawn) {
    ASSERT_LT(drawn, 4 * kSelectors) << "too few of the texts compile";
    const std::string text = texts.Draw();
    const auto selector = Selector::Compile(text, {});
    if (!selector.has_value()) continue;
    ++compiled;
    ASSERT_EQ(Disagreement(*selector, fleet, &tally), "") << text;
  }
  // Agreement would mean little if nearly all answers were the same.
  constexpr size_t kTenth = kDevices * kSelectors / 10;
  EXPECT_GT(tally.matched, kTenth);
  EXPECT_GT(tally.failed, kTenth);
  EXPECT_GT(tally.neither, kTenth);
}

INSTANTIATE_TEST_SUITE_P(Columns, BatchAgreement, ::testing::Bool(), [](const auto& info) {
  return info.param ? "Wide" : "Narrow";
});

TEST(BatchSelector, NearItsLimitEverythingIsCountedOnWholeDevices) {
  const Fleet fleet(3, /*wide=*/false, 200);
  for (uint64_t cost_max = 0; cost_max < 20; ++cost_max) {
    const auto selector = Selector::Compile(
        "has(device.attributes['a.example'].model) && device.driver != 'b.example' || "
        "device.attributes['b.example'].index in [1, 2]",
        {.cost_max = cost_max});
    ASSERT_TRUE(selector.has_value());
    EXPECT_EQ(Disagreement(*selector, fleet), "") << cost_max;
  }
}

// Leaves of two columns are evaluated by pairs of values, up to so many, and then by devices.
TEST(BatchSelector, CombinationsOfManyValuesAgreeWithTheScalarEvaluator) {
  constexpr int64_t kValues = 256;
  static_assert(kValues * kValues == kCombinationsMax);
  for (const int64_t values : {kValues - 1, kValues, kValues + 1}) {  // absence may be one
    DeviceTableBuilder builder;
    std::vector<Device> devices;
    for (int64_t i = 0; i < values; ++i) {
      devices.push_back({.driver = "a.example", .attributes = {{"a", i}, {"b", (i * 7) % values}}});
    }
    for (const Device& device : devices) builder.Add(device);
    const auto table = builder.Build();
    const auto selector = Selector::Compile(
        "device.attributes['a.example'].a < device.attributes['a.example'].b", {});
    ASSERT_TRUE(selector.has_value());
    Outcomes outcomes;
    BatchSelector(*selector).Evaluate(*table, outcomes);
    for (size_t lane = 0; lane < devices.size(); ++lane) {
      const DeviceActivation activation(devices[lane]);
      EXPECT_EQ(outcomes.matched.Has(lane), selector->Evaluate(activation).matches()) << lane;
    }
  }
}

TEST(BatchSelector, ListsAreNoValuesBeforeTheyWere) {
  const Fleet fleet(17, /*wide=*/false, 200);
  const auto selector =
      Selector::Compile("device.driver == 'a.example'", {.release = api::Release::k1_35});
  ASSERT_TRUE(selector.has_value());
  EXPECT_EQ(Disagreement(*selector, fleet), "");
}

TEST(BatchSelector, TellsWhyOneDeviceFails) {
  const Fleet fleet(5, /*wide=*/false, 300);
  const auto selector = Selector::Compile("device.attributes['a.example'].model == 'x100'", {});
  ASSERT_TRUE(selector.has_value());
  const BatchSelector batch(*selector);
  Outcomes outcomes;
  batch.Evaluate(*fleet.table, outcomes);
  ASSERT_GT(outcomes.failed.Count(), 0u);
  outcomes.failed.ForEach([&](size_t lane) {
    const Evaluation got = batch.EvaluateLane(*fleet.table, lane);
    const Evaluation wanted = selector->Evaluate(*fleet.activations[lane]);
    ASSERT_NE(got.error(), nullptr);
    EXPECT_EQ(got.error()->message, wanted.error()->message);
    EXPECT_EQ(got.cost, wanted.cost);
  });
}

TEST(BatchSelector, AnEmptyTableHasNoLanes) {
  const auto selector = Selector::Compile("true", {});
  Outcomes outcomes;
  BatchSelector(*selector).Evaluate(*DeviceTableBuilder().Build(), outcomes);
  EXPECT_EQ(outcomes.matched.Count(), 0u);
}

TEST(DeviceTable, CoversWhatItHasOrAll) {
  const ColumnKey driver{.field = Field::kDriver};
  const ColumnKey model{.field = Field::kAttribute, .domain = "a.example", .id = "model"};
  DeviceTableBuilder builder({.all = false, .columns = {driver}});
  builder.Add({.driver = "a.example", .attributes = {{"model", int64_t{1}}, {"b", int64_t{2}}}});
  const auto table = builder.Build();
  EXPECT_TRUE(table->Covers({.all = false}));
  EXPECT_TRUE(table->Covers({.all = false, .columns = {driver}}));
  EXPECT_FALSE(table->Covers({.all = false, .columns = {driver, model}}));
  EXPECT_FALSE(table->Covers({}));
  EXPECT_EQ(table->Find(model), nullptr);
  EXPECT_TRUE(DeviceTableBuilder().Build()->Covers({.all = false, .columns = {driver, model}}));
}

TEST(DeviceTable, OfSomePartsIsBrokenByTheOthersToo) {
  DeviceTableBuilder builder({.all = false, .columns = {{.field = Field::kDriver}}});
  builder.Add({.driver = "a.example", .attributes = {{"v", VersionText{"1.0.0"}}}});
  builder.Add({.driver = "a.example", .attributes = {{"v", VersionText{"1.x"}}}});
  const auto table = builder.Build();
  EXPECT_FALSE(table->broken({}).Has(0));
  EXPECT_TRUE(table->broken({}).Has(1));
  EXPECT_TRUE(table->ErrorOf(1, {}).starts_with("attribute v: parse semantic version"));
}

TEST(DeviceTable, OfSoundDevicesReadsOnlyTheParts) {
  const ColumnKey model{.field = Field::kAttribute, .domain = "a.example", .id = "model"};
  const ColumnKey domain{.field = Field::kAttributeDomain, .domain = "b.example"};
  DeviceTableBuilder builder({.all = false, .columns = {model, domain}});
  builder.AddSound({.driver = "a.example", .attributes = {{"b.example/v", {}}, {"model", true}}});
  builder.AddSound({.driver = "a.example", .attributes = {{"v", {}}}});
  const auto table = builder.Build();
  EXPECT_EQ(table->broken({}).Count(), 0U);
  const Column& models = *table->Find(model);
  EXPECT_TRUE(models.values[DeviceTable::CodeAt(models, 0)].is_true());
  EXPECT_EQ(DeviceTable::CodeAt(models, 1), 0U);
  const Column& domains = *table->Find(domain);
  EXPECT_TRUE(domains.values[DeviceTable::CodeAt(domains, 0)].is_true());
  EXPECT_EQ(DeviceTable::CodeAt(domains, 1), 0U);
}

TEST(SoundDevices, HaveSingleValuesAndRightVersions) {
  const std::vector<std::string> texts = {"a"};
  const std::pair<AttributeValue, bool> rows[] = {{true, true},
                                                  {int64_t{1}, true},
                                                  {std::string_view("x"), true},
                                                  {VersionText{"1.0.0"}, true},
                                                  {VersionText{"1.0.0"}, true},
                                                  {VersionText{"1.x"}, false},
                                                  {std::span<const std::string>(texts), false},
                                                  {std::monostate(), false}};
  SoundDevices sound;
  for (const auto& [value, is_sound] : rows) {
    const Device device{.driver = "a.example", .attributes = {{"a", true}, {"v", value}}};
    EXPECT_EQ(sound.Has(device), is_sound) << value.index();
  }
}

TEST(DeviceTable, LikeDevicesHaveOneShape) {
  const Fleet fleet(9, /*wide=*/false, 50);
  DeviceTableBuilder builder;
  testing::RandomDevices again(9);
  const Device& device = again.Draw(false);
  for (int i = 0; i < 100; ++i) builder.Add(device);
  const auto table = builder.Build();
  EXPECT_EQ(table->shapes(), 1u);
  EXPECT_EQ(table->size(), 100u);
}

}  // namespace
}  // namespace dray::cel::batch
