// SPDX-License-Identifier: Apache-2.0
#include "server/storage/list_cache.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <variant>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/core_v1/config_map.h"
#include "base/world.h"
#include "server/documents/render.h"
#include "server/storage/item_group.h"
#include "server/testing/fixture.h"

namespace dray::server::storage {
namespace {

using documents::AnswerBody;
using documents::Encoding;
using documents::Rendering;

constexpr size_t kObjects = 700;

/// Long lists of config maps.
class LongListTest : public server::testing::ServerTest {
 protected:
  LongListTest() {
    for (size_t i = 0; i < kObjects; ++i) Make(i);
  }
  void Make(size_t number) {
    Post("configmaps", "default", fmt::format(R"({{"metadata":{{"name":"m{:04}"}}}})", number));
  }
  verbs::ListAnswer All(int64_t limit = 0) {
    verbs::ResourceRequest request = Request(verbs::Verb::kList, "configmaps", "default", "");
    request.list.limit = limit;
    return *Lists(std::move(request));
  }
  static std::string Body(const verbs::ListAnswer& answer, Encoding encoding) {
    return AnswerBody(answer, Rendering{.form = {.encoding = encoding}})->Joined();
  }
  /// As if no list had been asked for before.
  std::string Fresh(Encoding encoding) {
    const verbs::ListAnswer answer = All();
    ItemList items;
    for (const Item* item : answer.items.all()) items.Add({.item = item, .owner = nullptr});
    const verbs::ListAnswer plain{.kind = answer.kind,
                                  .items = std::move(items),
                                  .resource_version = answer.resource_version};
    return Body(plain, encoding);
  }
  void ExpectSame() {
    for (const Encoding encoding : {Encoding::kJson, Encoding::kProtobuf}) {
      ASSERT_EQ(Body(All(), encoding), Fresh(encoding));
    }
  }
};

TEST_F(LongListTest, SharesTextsFromTheSecondTimeOn) {
  const verbs::ListAnswer first = All();
  const verbs::ListAnswer second = All();
  const verbs::ListAnswer third = All();
  ASSERT_GT(first.items.groups().size(), 1U);
  EXPECT_NE(first.items.groups()[0]->Json(), first.items.groups()[0]->Json());
  EXPECT_NE(first.items.groups(), second.items.groups());
  for (size_t i = 0; i < third.items.groups().size(); ++i) {
    const ItemGroup& group = *third.items.groups()[i];
    if (group.page() == nullptr) continue;
    EXPECT_EQ(second.items.groups()[i].get(), &group);
    EXPECT_EQ(second.items.groups()[i]->Json(), group.Json());
  }
  EXPECT_EQ(third.items.size(), kObjects);
}

TEST_F(LongListTest, EveryChangeShows) {
  ExpectSame();
  ExpectSame();
  Delete("configmaps", "default", "m0300");
  ExpectSame();
  Make(kObjects);
  Make(300);
  ExpectSame();
  ASSERT_EQ(All().items.size(), kObjects + 1);
}

TEST_F(LongListTest, ShortAndPagedListsHaveNoGroups) {
  EXPECT_TRUE(All(10).items.groups().empty());
  EXPECT_FALSE(All(kObjects).items.groups().empty());
  EXPECT_TRUE(All(kObjects - 1).items.groups().empty());
  EXPECT_EQ(All(kObjects - 1).remaining_item_count, 1);
  EXPECT_TRUE(Lists(Request(verbs::Verb::kList, "namespaces", "", ""))->items.groups().empty());
}

TEST(TextBudget, IsAtMostFull) {
  TextBudget budget(10);
  EXPECT_TRUE(budget.Take(10));
  EXPECT_FALSE(budget.Take(1));
  budget.GiveBack(1);
  EXPECT_TRUE(budget.Take(1));
  EXPECT_EQ(budget.used(), 10U);
}

const View kView{.kind = &api::Reflected<api::core_v1::ConfigMap>::kKind};

std::shared_ptr<const ItemGroup> EmptyGroup() {
  return std::make_shared<const ItemGroup>(kView, store::Tree::Group(), 0, nullptr);
}

TEST(ListCache, ForgetsWhatNobodyLists) {
  ListCache cache;
  const WallTime start;
  EXPECT_EQ(cache.Begin(kView, "a", start).budget, nullptr);
  EXPECT_NE(cache.Begin(kView, "a", start).budget, nullptr);
  cache.Keep(kView, "a", {{nullptr, EmptyGroup()}});
  EXPECT_NE(cache.Begin(kView, "a", start + ListCache::kIdleMax).kept, nullptr);
  cache.Begin(kView, "b", start + 2 * ListCache::kIdleMax + std::chrono::nanoseconds(1));
  EXPECT_EQ(cache.Begin(kView, "a", start + 2 * ListCache::kIdleMax).kept, nullptr);
}

TEST(ListCache, ForgetsIdleListsWithoutAnotherList) {
  ListCache cache;
  const WallTime start;
  cache.Begin(kView, "a", start);
  cache.Keep(kView, "a", {{nullptr, EmptyGroup()}});
  const std::weak_ptr<const ListCache::Kept> kept = cache.Begin(kView, "a", start).kept;
  cache.DropIdle(start + ListCache::kIdleMax);
  EXPECT_FALSE(kept.expired());
  cache.DropIdle(start + ListCache::kIdleMax + std::chrono::nanoseconds(1));
  EXPECT_TRUE(kept.expired());
}

TEST(ListCache, RemembersTheLastLists) {
  ListCache cache;
  const WallTime now;
  for (size_t i = 0; i < ListCache::kListsMax; ++i) cache.Begin(kView, std::to_string(i), now);
  EXPECT_NE(cache.Begin(kView, "0", now).budget, nullptr);
  cache.Begin(kView, "one more", now);  // pushes out "1"
  EXPECT_NE(cache.Begin(kView, "0", now).budget, nullptr);
  EXPECT_NE(cache.Begin(kView, "2", now).budget, nullptr);
  EXPECT_EQ(cache.Begin(kView, "1", now).budget, nullptr);
}

}  // namespace
}  // namespace dray::server::storage
