// SPDX-License-Identifier: Apache-2.0
// Compares the search for an order with the obvious one, which tries all permutations.
#include "tests/history/key_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "base/strong.h"
#include "tests/history/history.h"

namespace dray::history {
namespace {

using OrderVerdict = KeyOrder::Verdict;

const Operation kSomebody{.called = 1, .returned = 2, .request = Get{}, .answer = Seen{}};

/// A register of letters: reads and puts without revisions.
KeyStep Read(Moment called, Moment returned, std::string value) {
  KeyStep step{.called = called, .returned = returned, .operation = &kSomebody};
  if (!value.empty()) step.item = Item{.key = "k", .value = std::move(value)};
  return step;
}

KeyStep Put(Moment called, Moment returned, std::string value) {
  KeyStep step = Read(called, returned, std::move(value));
  step.kind = KeyStep::Kind::kPut;
  return step;
}

KeyStep Maybe(KeyStep step) {
  step.is_certain = false;
  step.returned = std::numeric_limits<Moment>::max();
  return step;
}

OrderVerdict Decide(std::vector<KeyStep> steps, size_t steps_max = 100'000) {
  std::ranges::sort(steps, {}, &KeyStep::called);
  return FindKeyOrder("k", std::nullopt, steps, steps_max).verdict;
}

TEST(KeyOrder, ConcurrentReadsMayDisagreeWhileAWriteRuns) {
  EXPECT_EQ(Decide({Put(1, 10, "x"), Read(2, 3, "x"), Read(4, 5, "x")}), OrderVerdict::kExists);
  EXPECT_EQ(Decide({Put(1, 10, "x"), Read(2, 3, ""), Read(4, 5, "x")}), OrderVerdict::kExists);
  EXPECT_EQ(Decide({Put(1, 10, "x"), Read(2, 3, "x"), Read(4, 5, "")}), OrderVerdict::kNone);
}

TEST(KeyOrder, AReadAfterAWriteSeesIt) {
  EXPECT_EQ(Decide({Put(1, 2, "x"), Read(3, 4, "x")}), OrderVerdict::kExists);
  EXPECT_EQ(Decide({Put(1, 2, "x"), Read(3, 4, "")}), OrderVerdict::kNone);
}

TEST(KeyOrder, AnUncertainWriteMayHappenMuchLaterOrNever) {
  EXPECT_EQ(Decide({Maybe(Put(1, 0, "x")), Read(3, 4, ""), Read(5, 6, "x")}),
            OrderVerdict::kExists);
  EXPECT_EQ(Decide({Maybe(Put(1, 0, "x")), Read(3, 4, "")}), OrderVerdict::kExists);
  EXPECT_EQ(Decide({Maybe(Put(1, 0, "x")),
                    Put(2, 3, "y"),
                    Read(4, 5, "x"),
                    Read(6, 7, "y"),
                    Read(8, 9, "x")}),
            OrderVerdict::kNone);
}

TEST(KeyOrder, RevisionsDecide) {
  KeyStep first = Put(1, 10, "x");
  KeyStep second = Put(2, 10, "y");
  first.revision = Revision{3};
  second.revision = Revision{2};
  EXPECT_EQ(Decide({first, second, Read(11, 12, "x")}), OrderVerdict::kExists);
  EXPECT_EQ(Decide({first, second, Read(11, 12, "y")}), OrderVerdict::kNone);
}

TEST(KeyOrder, ADeletionThatTellsWhatItDeletedNeedsIt) {
  KeyStep gone = Read(3, 4, "x");
  gone.kind = KeyStep::Kind::kDelete;
  EXPECT_EQ(Decide({Put(1, 2, "x"), gone, Read(5, 6, "")}), OrderVerdict::kExists);
  EXPECT_EQ(Decide({Put(1, 2, "y"), gone, Read(5, 6, "")}), OrderVerdict::kNone);
}

TEST(KeyOrder, ARefusalNeedsAnotherRevision) {
  KeyStep put = Put(1, 2, "x");
  put.revision = Revision{2};
  KeyStep refused{.kind = KeyStep::Kind::kRefused,
                  .called = 3,
                  .returned = 4,
                  .shows_item = false,
                  .expected = Revision{2},
                  .operation = &kSomebody};
  EXPECT_EQ(Decide({put, refused}), OrderVerdict::kNone);
  refused.expected = Revision{0};
  EXPECT_EQ(Decide({put, refused}), OrderVerdict::kExists);
}

/// Whether the steps in this order respect the clock and answer right.
bool IsOrder(const std::vector<KeyStep>& steps, const std::vector<size_t>& order) {
  std::string value;
  for (size_t i = 0; i < order.size(); ++i) {
    const KeyStep& step = steps[order[i]];
    for (size_t j = i + 1; j < order.size(); ++j) {
      if (steps[order[j]].returned < step.called) return false;
    }
    const std::string own = step.item.has_value() ? step.item->value : "";
    if (step.kind == KeyStep::Kind::kPut) value = own;
    if (step.kind == KeyStep::Kind::kRead && own != value) return false;
  }
  return true;
}

bool AnyOrder(const std::vector<KeyStep>& steps) {
  std::vector<size_t> order(steps.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  do {
    if (IsOrder(steps, order)) return true;
  } while (std::ranges::next_permutation(order).found);
  return false;
}

TEST(KeyOrder, AgreesWithAllPermutations) {
  SeededRandom random(1);
  size_t exist = 0;
  constexpr size_t kInstances = 2'000;
  for (size_t instance = 0; instance < kInstances; ++instance) {
    std::vector<KeyStep> steps;
    for (uint64_t i = 0; i < 6; ++i) {
      const Moment called = 1 + random.Next() % 20 * 100 + i;
      const Moment returned = called + 50 + random.Next() % 8 * 100;
      const std::string value(1, static_cast<char>('x' + random.Next() % 2));
      steps.push_back(random.Next() % 2 == 0 ? Put(called, returned, value)
                                             : Read(called, returned, value));
    }
    std::ranges::sort(steps, {}, &KeyStep::called);
    const bool exists = AnyOrder(steps);
    exist += exists ? 1 : 0;
    ASSERT_EQ(Decide(steps), exists ? OrderVerdict::kExists : OrderVerdict::kNone)
        << "instance " << instance;
  }
  EXPECT_GT(exist, kInstances / 10);
  EXPECT_LT(exist, kInstances * 9 / 10);
}

TEST(KeyOrder, GivesUpAtItsLimit) {
  std::vector<KeyStep> steps;
  steps.reserve(13);
  for (Moment i = 0; i < 12; ++i)
    steps.push_back(Put(1 + i, 100, std::string(1, static_cast<char>('a' + i))));
  steps.push_back(Read(200, 201, "?"));
  EXPECT_EQ(Decide(steps, 1'000), OrderVerdict::kUndecided);
}

}  // namespace
}  // namespace dray::history
