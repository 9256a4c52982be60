// SPDX-License-Identifier: Apache-2.0
// What an attempt promises beside its answers: bounds, cancellation, threads.
#include <atomic>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "allocator/internals.h"
#include "allocator/search/options.h"
#include "allocator/testing/lab.h"
#include "dray/allocator.h"

namespace dray::allocator {
namespace {

using testing::FeaturesWith;
using testing::Lab;

/// "g0" … as a JSON list; `more` is the rest of the device numbered i.
template <class More>
std::string DeviceList(int count, More more) {
  std::string json = "[";
  for (int i = 0; i < count; ++i)
    json += fmt::format(R"({}{{"name":"g{}"{}}})", i == 0 ? "" : ",", i, more(i));
  return json + "]";
}

std::string Equal(int) {
  return "";
}

/// Attributes that place the device in a grid of eight columns, so no two devices are alike.
std::string RowAndColumn(int i) {
  return fmt::format(
      R"(,"attributes":{{"d.io/row":{{"int":{}}},"d.io/column":{{"int":{}}}}})", i / 8, i % 8);
}

Snapshot SnapshotOf(const Lab& lab, std::string_view switches = "") {
  return lab.snapshot(FeaturesWith("v0.37.2/incubating", switches));
}

std::string Word(const Result<Outcome>& outcome) {
  if (!outcome) return "error: " + outcome.error().message;
  if (std::holds_alternative<Allocation>(*outcome)) return "allocated";
  if (const auto* open = std::get_if<Undecided>(&*outcome))
    return fmt::format("undecided at claim {}, request {}", open->claim, open->request);
  return "none";
}

/// A few thousand steps at most, where a plain search would take longer than the universe.
constexpr Budget kFew = {.steps_max = 2'000};

TEST(AttemptBounds, MoreDevicesThanThereAre) {
  Lab lab;
  lab.Devices(DeviceList(128, Equal));
  for (const int count : {32, 32, 32, 32}) lab.Count(count);
  EXPECT_EQ(Word(Attempt(SnapshotOf(lab), lab.claims()).Allocate(lab.node(), kFew)), "allocated");
  lab.Count(1);
  EXPECT_EQ(Word(Attempt(SnapshotOf(lab), lab.claims()).Allocate(lab.node(), kFew)), "none");
}

// Candidates there are, but nothing that counts them one by one sees that they never suffice.
TEST(AttemptBounds, CandidatesThatNeverSuffice) {
  Lab lab;
  lab.Devices(DeviceList(64, RowAndColumn));
  lab.Count(8);
  lab.Claim(R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any",
      "allocationMode":"ExactCount","count":2}}],"constraints":[
      {"matchAttribute":"d.io/row"},{"matchAttribute":"d.io/column"}]})");
  EXPECT_EQ(Word(Attempt(SnapshotOf(lab), lab.claims()).Allocate(lab.node(), kFew)), "none");
}

TEST(AttemptBounds, TheBudgetCountsSteps) {
  Lab lab;
  lab.Devices(DeviceList(3, Equal)).Count(3);
  const Attempt attempt = Internals::AttemptWith(
      SnapshotOf(lab), lab.claims(), search::SearchOptions{.node_sharing = false});
  int64_t enough = 1;
  while (Word(attempt.Allocate(lab.node(), {.steps_max = enough})) != "allocated") {
    EXPECT_EQ(Word(attempt.Allocate(lab.node(), {.steps_max = enough})),
              "undecided at claim 0, request 0");
    ASSERT_LT(++enough, 100);
  }
  EXPECT_EQ(enough, 4);  // one for each device, and one to see that these are all
}

// Nodes that are alike share answers, but not the answer of a search that might have gone on.
TEST(AttemptBounds, ALargerBudgetIsUsed) {
  Lab lab;
  lab.Devices(DeviceList(3, Equal)).Count(3);
  const Attempt attempt(SnapshotOf(lab), lab.claims());
  EXPECT_EQ(Word(attempt.Allocate(lab.node(), {.steps_max = 1})),
            "undecided at claim 0, request 0");
  EXPECT_EQ(Word(attempt.Allocate(lab.node(), {.steps_max = 1})),
            "undecided at claim 0, request 0");
  EXPECT_EQ(Word(attempt.Allocate(lab.node(), {.steps_max = 100})), "allocated");
  EXPECT_EQ(Word(attempt.Allocate(lab.node(), {.steps_max = 1})), "allocated");
}

// Nor do they share claims that were made ready only in part.
TEST(AttemptBounds, MoreSharedWorkIsUsed) {
  Lab lab;
  lab.Devices(DeviceList(64, RowAndColumn)).Count(1);
  lab.Claim(R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any",
      "allocationMode":"ExactCount","count":1,"selectors":[
      {"cel":{"expression":"device.attributes['d.io'].row == 7"}}]}}]})");
  SharedWork one(1);
  SharedWork much(1'000'000'000);
  const Attempt attempt(SnapshotOf(lab), lab.claims());
  EXPECT_EQ(Word(attempt.Allocate(lab.node(), {.work = &one})), "undecided at claim 0, request 0");
  EXPECT_EQ(Word(attempt.Allocate(lab.node(), {.work = &much})), "allocated");
}

// A legal selector, near the limit of what one evaluation may cost, on devices of which no two are
// alike: evaluated on all of them it would take longer than any search may.
TEST(AttemptBounds, DearSelectorsAreEvaluatedWhereTheSearchComes) {
  Lab lab;
  lab.Devices(DeviceList(
      40, [](int i) { return fmt::format(R"(,"attributes":{{"d.io/i":{{"int":{}}}}})", i); }));
  std::string numbers = "0";
  for (int i = 1; i < 200; ++i) numbers += fmt::format(",{}", i);
  const std::string all =
      fmt::format("[{0}].all(a, [{0}].all(b, device.attributes['d.io'].i + a + b != -1))", numbers);
  const auto choose = [&](std::string_view expression) {
    return fmt::format(
        R"({{"requests":[{{"name":"r","exactly":{{"deviceClassName":"any",)"
        R"("allocationMode":"ExactCount","count":1,"selectors":[{{"cel":{{"expression":"{}"}}}}]}}}}]}})",
        expression);
  };
  const search::SearchOptions options{.evaluation_work_max = 500'000};
  Lab yes = lab;
  yes.Claim(choose(all));
  EXPECT_EQ(Word(Internals::AttemptWith(SnapshotOf(yes), yes.claims(), options)
                     .Allocate(yes.node(), kFew)),
            "allocated");
  Lab no = lab;
  no.Claim(choose("!" + all));
  EXPECT_EQ(
      Word(Internals::AttemptWith(SnapshotOf(no), no.claims(), options).Allocate(no.node(), kFew)),
      "undecided at claim 0, request 0");
}

// What proves that nothing fits needs all evaluations: with one unit less than they take, the
// literal search is asked, and gives up.
TEST(AttemptBounds, EvaluationsStopAtTheirLimit) {
  Lab lab;
  lab.Devices(DeviceList(64, RowAndColumn));
  lab.Count(8);
  lab.Claim(R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any",
      "allocationMode":"ExactCount","count":2,"selectors":[
      {"cel":{"expression":"device.attributes['d.io'].row + device.attributes['d.io'].column >= 0"}}]}}],
      "constraints":[{"matchAttribute":"d.io/row"},{"matchAttribute":"d.io/column"}]})");
  const auto with = [&](uint64_t work_max) {
    const search::SearchOptions options{.evaluation_work_max = work_max};
    return Word(
        Internals::AttemptWith(SnapshotOf(lab), lab.claims(), options).Allocate(lab.node(), kFew));
  };
  uint64_t too_little = 1;
  uint64_t enough = 10'000'000;
  ASSERT_EQ(with(enough), "none");
  while (enough - too_little > 1) {
    const uint64_t middle = (enough + too_little) / 2;
    (with(middle) == "none" ? enough : too_little) = middle;
  }
  EXPECT_GT(enough, 64U) << "no device is free";
  EXPECT_EQ(with(enough), "none");
  EXPECT_EQ(with(enough + 1), "none");
  EXPECT_EQ(with(enough - 1), "undecided at claim 0, request 0");
}

TEST(AttemptBounds, CancelledBeforeItBegins) {
  Lab lab;
  lab.Devices(DeviceList(3, Equal)).Count(2);
  const std::atomic<bool> cancelled = true;
  const Attempt attempt(SnapshotOf(lab), lab.claims());
  EXPECT_EQ(Word(attempt.Allocate(lab.node(), {.cancelled = &cancelled})),
            "error: operation aborted: the caller has cancelled it");
  EXPECT_EQ(Word(attempt.Allocate(lab.node())), "allocated") << "and nothing of it is kept";
}

TEST(AttemptThreads, ManyNodesAtOnce) {
  Lab lab;
  lab.Devices(DeviceList(64, [](int i) {
    return fmt::format(R"(,"attributes":{{"d.io/row":{{"int":{}}}}})", i / 8);
  }));
  lab.Claim(R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any",
      "allocationMode":"ExactCount","count":8}}],"constraints":[{"matchAttribute":"d.io/row"}]})");
  const Attempt attempt(SnapshotOf(lab), lab.claims());
  std::atomic<int> allocated = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 25; ++k) {
        if (Word(attempt.Allocate(lab.node())) == "allocated") ++allocated;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allocated, 100);
}

/// One writer makes snapshots of each other while others ask about older ones.
TEST(AttemptThreads, ForksBesideReaders) {
  Lab lab;
  lab.Devices(DeviceList(16, Equal)).Count(4);
  const Snapshot first = SnapshotOf(lab);
  std::vector<std::thread> readers;
  std::atomic<int> allocated = 0;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      for (int k = 0; k < 25; ++k) {
        if (Word(Attempt(first, lab.claims()).Allocate(lab.node())) == "allocated") ++allocated;
      }
    });
  }
  Snapshot taken = first;
  for (int i = 0; i < 13; ++i) {
    const DeviceUseChange change{{"d.io", "pool", fmt::format("g{}", i)}, {.whole = true}};
    taken = taken.With({&change, 1});
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(allocated, 50);
  EXPECT_EQ(Word(Attempt(taken, lab.claims()).Allocate(lab.node())), "none") << "three are left";
}

}  // namespace
}  // namespace dray::allocator
