// SPDX-License-Identifier: Apache-2.0
#include "api/value/tree.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace dray::api::inline value {
namespace {

using Members = std::vector<Tree::Member>;

Tree Numbers(std::initializer_list<int64_t> numbers) {
  std::vector<Tree> elements;
  for (const int64_t number : numbers) elements.emplace_back(number);
  return Tree::List(std::move(elements));
}

TEST(Tree, HoldsEachKind) {
  EXPECT_TRUE(Tree().is_null());
  EXPECT_EQ(Tree(true).kind(), Tree::Kind::kBool);
  EXPECT_TRUE(Tree(true).boolean());
  EXPECT_EQ(Tree(INT64_MIN).integer(), INT64_MIN);
  EXPECT_DOUBLE_EQ(Tree(0.5).number(), 0.5);
  EXPECT_DOUBLE_EQ(Tree(int64_t{7}).number(), 7);
  EXPECT_EQ(Tree::List().kind(), Tree::Kind::kList);
  EXPECT_EQ(Tree::Object().kind(), Tree::Kind::kObject);
  EXPECT_EQ(Tree::Object().size(), 0U);
  EXPECT_EQ(sizeof(Tree), 16U);
}

TEST(Tree, TextsOfAnyLength) {
  for (const size_t length : {0U, 1U, 14U, 15U, 16U, 300U, 0xFF'FFFEU, 0xFF'FFFFU, 0x100'0001U}) {
    const std::string text(length, 'x');
    const Tree tree(text);
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy must be equal.
    const Tree copy = tree;
    EXPECT_EQ(copy.text().size(), length);
    EXPECT_EQ(copy.text(), text);
    EXPECT_EQ(tree, copy);
  }
}

TEST(Tree, TextsOfADocumentShareBuffers) {
  std::vector<Tree> kept;
  {
    TreeTexts texts(100'000);
    for (size_t i = 0; i < 5000; ++i) {
      kept.push_back(texts.Make("a text with a number: " + std::to_string(i)));
    }
    kept.push_back(texts.Make(std::string(TreeTexts::kBufferSize, 'f')));
    kept.push_back(texts.Make(std::string(TreeTexts::kBufferSize + 1, 'g')));
    kept.push_back(texts.Make("short"));
  }
  for (size_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(kept[i].text(), "a text with a number: " + std::to_string(i));
  }
  EXPECT_EQ(kept[5000].text().size(), TreeTexts::kBufferSize);
  EXPECT_EQ(kept[5001].text().size(), TreeTexts::kBufferSize + 1);
  EXPECT_EQ(kept[5002].text(), "short");
}

TEST(Tree, MembersAreSortedAndTheLastOfANameCounts) {
  const Tree object = Tree::Object(Members{{"b", Tree(1)},
                                           {"a", Tree(2)},
                                           {"b", Tree(3)},
                                           {"", Tree(4)},
                                           {"a name of some length", Tree(5)}});
  ASSERT_EQ(object.size(), 4U);
  EXPECT_EQ(object.members()[0].name(), "");
  EXPECT_EQ(object.members()[2].name(), "a name of some length");
  EXPECT_EQ(object.Find("b")->integer(), 3);
  EXPECT_EQ(object.Find("c"), nullptr);
  EXPECT_EQ(Tree(1).Find("a"), nullptr);
  const Tree outer = Tree::Object(Members{{"o", object}});
  EXPECT_EQ(outer.FindPath("o", "a")->integer(), 2);
  EXPECT_EQ(outer.FindPath("x", "a"), nullptr);
  EXPECT_EQ(outer.FindPath("o", "x"), nullptr);
}

TEST(Tree, CopiesShareUntilOneIsChanged) {
  Tree a = Tree::Object(Members{{"list", Numbers({1, 2})}, {"n", Tree(1)}});
  const Tree b = a;
  EXPECT_TRUE(a.SharesAllWith(b));
  a.Set("n", Tree(2));
  EXPECT_EQ(b.Find("n")->integer(), 1);
  EXPECT_TRUE(a.Find("list")->SharesAllWith(*b.Find("list")));
  a.FindMutable("list")->MutableElements()[0] = Tree(9);
  EXPECT_EQ(b.Find("list")->elements()[0].integer(), 1);
  EXPECT_EQ(a.Find("list")->elements()[0].integer(), 9);
}

TEST(Tree, AValueMayReplaceWhatItLiesIn) {
  Tree tree =
      Tree::Object(Members{{"a", Tree::Object(Members{{"b", Tree("deep inside of it all")}})}});
  tree = *tree.Find("a");
  tree = *tree.Find("b");
  EXPECT_EQ(tree.text(), "deep inside of it all");
}

TEST(Tree, EraseAndInsert) {
  Tree tree = Tree::Object(Members{{"a", Tree(1)}, {"c", Tree(2)}, {"e", Tree(3)}});
  const Tree before = tree;
  Members added{{"f", Tree(6)}, {"b", Tree(4)}, {"0", Tree(5)}};
  tree.Insert(added);
  std::string names;
  for (const Tree::Member& member : tree.members()) names += member.name();
  EXPECT_EQ(names, "0abcef");
  EXPECT_EQ(tree.EraseMembers([](const Tree::Member& m) { return m.value.integer() > 2; }), 4U);
  EXPECT_TRUE(tree.Erase("a"));
  EXPECT_FALSE(tree.Erase("a"));
  EXPECT_TRUE(tree.Erase("c"));
  EXPECT_EQ(tree, Tree::Object());
  EXPECT_EQ(before.size(), 3U);

  Tree list = Numbers({0, 1, 2, 3});
  list.EraseAt(std::vector<uint32_t>{0, 3});
  EXPECT_EQ(list, Numbers({1, 2}));
  Tree grown = Tree::List();
  for (int64_t i = 0; i < 1000; ++i) grown.Append(Tree(i));
  EXPECT_EQ(grown.elements()[999].integer(), 999);
}

TEST(Tree, NumbersAreComparedByValue) {
  EXPECT_EQ(Tree(1), Tree(1.0));
  EXPECT_NE(Tree(1), Tree(1.5));
  // 2^53 + 1 is no double.
  EXPECT_NE(Tree(int64_t{9007199254740993}), Tree(9007199254740992.0));
  EXPECT_EQ(Tree(int64_t{9007199254740992}), Tree(9007199254740992.0));
  EXPECT_NE(Tree(INT64_MAX), Tree(0x1p63));
  EXPECT_EQ(Tree(INT64_MIN), Tree(-0x1p63));
  EXPECT_EQ(Tree(0), Tree(-0.0));
  EXPECT_NE(Tree(1), Tree("1"));
  EXPECT_NE(Tree(), Tree(false));
}

TEST(Tree, OrderIsTotal) {
  const Tree sorted[] = {Tree(),
                         Tree(false),
                         Tree(true),
                         Tree(-1e300),
                         Tree(-2),
                         Tree(-1.5),
                         Tree(-1),
                         Tree(0),
                         Tree(0.5),
                         Tree(1),
                         Tree(1.5),
                         Tree(0x1p63),
                         Tree(""),
                         Tree("a"),
                         Tree("aa"),
                         Tree("b"),
                         Tree::List(),
                         Numbers({5}),
                         Numbers({1, 2}),
                         Numbers({1, 3}),
                         Tree::Object(),
                         Tree::Object(Members{{"a", Tree(1)}}),
                         Tree::Object(Members{{"b", Tree(0)}})};
  for (size_t i = 0; i < std::size(sorted); ++i) {
    for (size_t j = 0; j < std::size(sorted); ++j) {
      EXPECT_EQ(Tree::Compare(sorted[i], sorted[j]), i <=> j) << i << " " << j;
    }
  }
}

TEST(Tree, DepthDoesNotRecurse) {
  const auto nested = [] {
    Tree tree = Tree(1);
    for (size_t i = 0; i < 100'000; ++i) {
      tree = i % 2 == 0 ? Tree::List(std::vector<Tree>{tree}) : Tree::Object(Members{{"a", tree}});
    }
    return tree;
  };
  const Tree a = nested();
  const Tree b = nested();
  EXPECT_EQ(a, b);
}

// Changes at random, against a map.
TEST(Tree, BehavesAsAMap) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    Tree tree = Tree::Object();
    std::map<std::string, int64_t> model;
    std::vector<std::pair<Tree, std::map<std::string, int64_t>>> copies;
    for (int64_t step = 0; step < 500; ++step) {
      const std::string name = "a name that is long " + std::to_string(random() % 60);
      switch (random() % 5) {
        case 0: EXPECT_EQ(tree.Erase(name), model.erase(name) == 1); break;
        case 1: copies.emplace_back(tree, model); break;
        default: tree.Set(name, Tree(step)); model[name] = step;
      }
    }
    copies.emplace_back(tree, model);
    for (const auto& [copy, expected] : copies) {
      ASSERT_EQ(copy.size(), expected.size());
      const bool same =
          std::ranges::equal(copy.members(), expected, [](const auto& a, const auto& b) {
            return a.name() == b.first && a.value.integer() == b.second;
          });
      EXPECT_TRUE(same) << seed;
    }
  }
}

}  // namespace
}  // namespace dray::api::inline value
