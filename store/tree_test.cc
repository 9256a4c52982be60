// SPDX-License-Identifier: Apache-2.0
#include "store/tree.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/frozen.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/record.h"

namespace dray::store {
namespace {

using Model = std::map<std::string, int64_t>;

Frozen<Record> RecordOf(std::string_view key, int64_t number) {
  return MakeRecord({.key = key,
                     .value = MakeBytes(""),
                     .created = Revision{number},
                     .modified = Revision{number}});
}

std::string KeyOf(size_t number) {
  const std::string digits = std::to_string(number);
  return "/" + std::string(6 - digits.size(), '0') + digits;
}

Model Contents(const Tree& tree) {
  Model contents;
  std::string last;
  for (Tree::Cursor at = tree.LowerBound(""); !at.at_end(); at.Next()) {
    EXPECT_LT(last, at.record()->key());
    last = at.record()->key();
    contents.emplace(last, at.record()->modified.value());
  }
  return contents;
}

/// Every key of `model` and one beside each: found or not, its rank, and where a cursor lands.
void ExpectSame(const Tree& tree, const Model& model) {
  ASSERT_EQ(Contents(tree), model);
  ASSERT_EQ(tree.size(), model.size());
  size_t rank = 0;
  for (const auto& [key, number] : model) {
    ASSERT_EQ((*tree.Find(key))->modified, Revision{number});
    ASSERT_EQ(tree.Rank(key), rank);
    ASSERT_EQ(tree.LowerBound(key).record()->key(), key);
    const std::string beside = key + "!";
    const auto next = model.upper_bound(beside);
    ASSERT_EQ(tree.Find(beside), nullptr);
    ASSERT_EQ(tree.Rank(beside), ++rank);
    const Tree::Cursor after = tree.LowerBound(beside);
    ASSERT_EQ(after.at_end(), next == model.end());
    if (!after.at_end()) ASSERT_EQ(after.record()->key(), next->first);
  }
}

TEST(Tree, AnEmptyTreeHasNothing) {
  const Tree tree;
  ExpectSame(tree, {});
  ExpectSame(tree.Erase("k"), {});
  ExpectSame(Tree::FromSorted({}), {});
  EXPECT_EQ(tree.Rank("k"), 0U);
}

TEST(Tree, EverySizeCanBeBuiltAtOnceGrownAndShrunk) {
  Tree grown;
  Model model;
  std::vector<Frozen<Record>> records;
  for (size_t size = 1; size <= 600; ++size) {
    records.push_back(RecordOf(KeyOf(size), 1));
    grown = grown.Put(records.back());
    model.emplace(records.back()->key(), 1);
    if (size < 40 || size % 37 == 0) {
      ExpectSame(grown, model);
      ExpectSame(Tree::FromSorted(records), model);
    }
  }
  for (size_t size = 600; size > 0; --size) {
    grown = grown.Erase(KeyOf(size));
    model.erase(KeyOf(size));
    if (size < 40 || size % 37 == 0) ExpectSame(grown, model);
  }
}

TEST(Tree, DescendingInsertionAndErasureFromTheFront) {
  Tree tree;
  Model model;
  for (size_t i = 900; i > 0; --i) {
    tree = tree.Put(RecordOf(KeyOf(i), 1));
    model.emplace(KeyOf(i), 1);
  }
  ExpectSame(tree, model);
  for (size_t i = 1; i <= 900; ++i) {
    tree = tree.Erase(KeyOf(i));
    model.erase(KeyOf(i));
    if (i % 53 == 0 || i > 880) ExpectSame(tree, model);
  }
}

TEST(Tree, RandomChangesAgreeWithAMapAndLeaveOldVersionsAlone) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    SeededRandom random(seed);
    const size_t space = seed % 2 == 0 ? 60 : 3000;
    Tree tree;
    Model model;
    std::vector<std::pair<Tree, Model>> versions;
    for (int64_t step = 1; step <= 6000; ++step) {
      // Phases of growth and of decline, so that pages split and join on all levels.
      const bool grows = (step / 1500) % 2 == 0;
      const std::string key = KeyOf(random.Next() % space);
      if (random.Next() % 4 < (grows ? 3U : 1U)) {
        tree = tree.Put(RecordOf(key, step));
        model.insert_or_assign(key, step);
      } else {
        tree = tree.Erase(key);
        model.erase(key);
      }
      if (step % 750 == 0) versions.emplace_back(tree, model);
    }
    for (const auto& [old_tree, old_model] : versions) ExpectSame(old_tree, old_model);
    if (HasFailure()) return;
  }
}

TEST(Tree, AnUnchangedRecordIsShared) {
  Tree tree;
  for (size_t i = 0; i < 100; ++i) tree = tree.Put(RecordOf(KeyOf(i), 1));
  const Tree changed = tree.Put(RecordOf(KeyOf(50), 2));
  EXPECT_EQ(*tree.Find(KeyOf(3)), *changed.Find(KeyOf(3))) << "the same object";
  EXPECT_EQ((*tree.Find(KeyOf(50)))->modified, Revision{1});
  EXPECT_EQ((*changed.Find(KeyOf(50)))->modified, Revision{2});
}

/// The keys of `group`, which lie in [begin, begin + its records) of the tree.
void ExpectGroup(const Tree& tree, const Tree::Group& group, size_t begin) {
  Tree::Cursor at = group.first;
  for (size_t i = 0; i < group.records; ++i) {
    ASSERT_EQ(tree.Rank(at.record()->key()), begin + i);
    if (i + 1 < group.records) at.Next();
  }
}

TEST(Tree, GroupsCoverARange) {
  Tree tree;
  for (size_t i = 0; i < 3000; ++i) tree = tree.Put(RecordOf(KeyOf(i * 7919 % 3000), 1));
  for (const size_t records_max : {size_t{16}, size_t{17}, size_t{300}, size_t{5000}}) {
    for (const auto& [begin, end] : {std::pair<size_t, size_t>{0, 3000},
                                     {1, 2999},
                                     {17, 18},
                                     {5, 5},
                                     {2990, 4000},
                                     {700, 1900}}) {
      const std::vector<Tree::Group> groups = tree.Groups(begin, end, records_max);
      size_t rank = begin;
      for (const Tree::Group& group : groups) {
        ASSERT_LE(group.records, records_max);
        ExpectGroup(tree, group, rank);
        rank += group.records;
      }
      ASSERT_EQ(rank, std::min(end, size_t{3000}));
    }
  }
}

TEST(Tree, AChangeLeavesAllGroupsButItsOwn) {
  Tree tree;
  for (size_t i = 0; i < 3000; ++i) tree = tree.Put(RecordOf(KeyOf(i), 1));
  const std::vector<Tree::Group> before = tree.Groups(0, 3000, 300);
  const Tree changed = tree.Put(RecordOf(KeyOf(1234), 2));
  const std::vector<Tree::Group> after = changed.Groups(0, 3000, 300);
  ASSERT_EQ(after.size(), before.size());
  size_t different = 0;
  for (size_t i = 0; i < after.size(); ++i) different += after[i].page != before[i].page ? 1 : 0;
  EXPECT_EQ(different, 1U);
  EXPECT_GT(before.size(), 10U);
}

TEST(Record, SaysWhatItWasMadeOf) {
  const std::string longest(65'535, 'k');
  for (const std::string& key : {std::string(), std::string("k"), longest}) {
    const Frozen<Record> record = MakeRecord({.key = key,
                                              .value = MakeBytes(std::string_view("a\0b", 3)),
                                              .created = Revision{2},
                                              .modified = Revision{3},
                                              .version = int64_t{1} << 40U,
                                              .expiry = WallTime(std::chrono::seconds(-5))});
    EXPECT_EQ(record->key(), key);
    EXPECT_EQ(record->value->bytes(), std::string_view("a\0b", 3));
    EXPECT_EQ(record->value->size(), 3U);
    EXPECT_EQ(record->version(), int64_t{1} << 40U);
    EXPECT_EQ(record->expiry(), WallTime(std::chrono::seconds(-5)));
    EXPECT_EQ(MakeRecord(record->fields())->key(), key);
  }
  EXPECT_EQ(MakeRecord({.key = "k", .value = MakeBytes("")})->expiry(), std::nullopt);
}

}  // namespace
}  // namespace dray::store
