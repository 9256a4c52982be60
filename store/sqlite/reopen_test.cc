// SPDX-License-Identifier: Apache-2.0
// A store that is opened again has everything, or is refused with the right error.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/frozen.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/memory_store.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/sqlite/maintenance.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/testing/folder.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::sqlite {
namespace {

using store::testing::Bytes;
using store::testing::DeleteOf;
using store::testing::Do;
using store::testing::PutOf;
using store::testing::Text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestFolder;

std::unique_ptr<SqliteStore> Open(const TestFolder& folder,
                                  const Options& options = {},
                                  const SqliteOptions& sqlite_options = {}) {
  Result<std::unique_ptr<SqliteStore>> store =
      SqliteStore::Open(folder.path(), options, sqlite_options);
  if (!store.has_value()) ADD_FAILURE() << store.error().message;
  return store.has_value() ? *std::move(store) : nullptr;
}

std::string FullText(const Record& record) {
  const auto expiry = record.expiry();
  return Text(record) +
         (expiry.has_value() ? "!" + std::to_string(expiry->time_since_epoch().count()) : "");
}

std::vector<std::string> All(const Snapshot& snapshot) {
  std::vector<std::string> texts;
  for (const Record& record : snapshot.Range({})) texts.push_back(FullText(record));
  return texts;
}

std::vector<std::string> EventsFrom(const Store& store, Revision from) {
  std::vector<std::string> texts;
  const Revision newest = store.Read()->revision();
  while (from < newest) {
    const Result<Batch> batch = store.EventsAfter(from, "", 100);
    if (!batch.has_value()) return {batch.error().message};
    for (const Frozen<Event>& event : batch->events) {
      texts.push_back(Text(*event) + " was " +
                      (event->previous == nullptr ? "absent" : FullText(*event->previous)));
    }
    from = batch->through;
  }
  return texts;
}

TEST(SqliteReopen, TheFirstOpeningMakesAnEmptyStore) {
  const TestFolder folder;
  const auto store = Open(folder, {.new_id = 0xABC});
  EXPECT_EQ(store->status().id, "0000000000000abc");
  EXPECT_EQ(store->Read()->revision(), kFirstRevision);
  EXPECT_GT(store->status().file_bytes, 0U);
  EXPECT_EQ(store->status().failure, "");
}

TEST(SqliteReopen, TheFolderIsMadeIfItsParentExists) {
  const TestFolder folder;
  EXPECT_TRUE(SqliteStore::Open(folder.path() + "/data").has_value());
  const auto deeper = SqliteStore::Open(folder.path() + "/no/such");
  ASSERT_FALSE(deeper.has_value());
  EXPECT_EQ(deeper.error().reason, StatusReason::kForbidden);
  EXPECT_THAT(deeper.error().message, HasSubstr(folder.path() + "/no/such cannot be made"));
}

TEST(SqliteReopen, TheIdentityStays) {
  const TestFolder folder;
  EXPECT_EQ(Open(folder, {.new_id = 7})->status().id, "0000000000000007");
  EXPECT_EQ(Open(folder, {.new_id = 8})->status().id, "0000000000000007");
}

/// Random commits on two stores of one interface.
Txn AnyTxn(SeededRandom& random) {
  const auto below = [&](uint64_t bound) { return random.Next() % bound; };
  Txn txn;
  const uint64_t first = below(20);
  const uint64_t count = 1 + below(4);
  for (uint64_t i = first; i < first + count; ++i) {
    const std::string key = "/r/pods/" + std::to_string(i);
    if (below(4) == 0) {
      txn.operations.emplace_back(Delete{key});
      continue;
    }
    Put put{.key = key, .value = Bytes(std::string(below(3) * 1000, 'v') + std::to_string(i))};
    if (below(3) == 0) put.expiry = WallTime(std::chrono::nanoseconds(1 + below(1'000'000)));
    txn.operations.emplace_back(std::move(put));
  }
  return txn;
}

void ExpectSame(const Store& store, const Store& model, Revision floor) {
  ASSERT_EQ(store.Read()->revision(), model.Read()->revision());
  EXPECT_EQ(All(*store.Read()), All(*model.Read()));
  EXPECT_EQ(EventsFrom(store, floor), EventsFrom(model, floor));
  EXPECT_EQ(store.status().live_bytes, model.status().live_bytes);
  EXPECT_EQ(store.status().next_expiry, model.status().next_expiry);
  for (int64_t i = floor.value(); i <= store.Read()->revision().value(); ++i) {
    const auto then = store.ReadAt(Revision{i});
    ASSERT_TRUE(then.has_value()) << then.error().message;
    EXPECT_EQ(All(**then), All(**model.ReadAt(Revision{i}))) << i;
  }
}

TEST(SqliteReopen, EverythingIsAsItWas) {
  // Small numbers, so that the table of live keys, the floor and the deletion of old records are in
  // another state at each opening.
  const SqliteOptions sqlite_options{.recovered_events_max = 40,
                                     .fold_revisions = 7,
                                     .compact_revisions = 5,
                                     .free_pages_max = 3,
                                     .checkpoint_pages = 16};
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Options options{.events_max = seed % 2 == 0 ? size_t{30} : size_t{1000}};
    SeededRandom random(seed);
    const TestFolder folder;
    MemoryStore model;
    for (int round = 0; round < 8 && !::testing::Test::HasFailure(); ++round) {
      const auto store = Open(folder, options, sqlite_options);
      ASSERT_NE(store, nullptr);
      ExpectSame(*store, model, store->status().floor);
      for (uint64_t i = random.Next() % 25; i > 0; --i) {
        const Txn txn = AnyTxn(random);
        EXPECT_EQ(Do(*store, txn).revision, Do(model, txn).revision);
      }
      if (random.Next() % 4 == 0) {
        const Revision newest = store->Read()->revision();
        const Revision below{newest.value() - static_cast<int64_t>(random.Next() % 9)};
        const Revision floor = std::max(below, store->status().floor);
        ASSERT_TRUE(store->Compact(floor).has_value());
        EXPECT_GE(store->status().floor, floor);
      }
      ExpectSame(*store, model, store->status().floor);
    }
    const Result<VerifyReport> report = Verify(folder.path());
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_THAT(report->problems, IsEmpty());
  }
}

TEST(SqliteLog, IsCopiedIntoTheFileWhenNobodyWaits) {
  const TestFolder folder;
  const auto store = Open(folder, {}, {.checkpoint_pages = 2});
  ASSERT_NE(store, nullptr);
  const std::string file = StoreFile(folder.path());
  const auto before = std::filesystem::file_size(file);
  Do(*store, PutOf("/a", std::string(100'000, 'a')));
  while (std::filesystem::file_size(file) == before) std::this_thread::yield();
}

TEST(SqliteLog, ItsFileIsLongerThanWhatIsInItAndIsReadUpToThat) {
  const TestFolder folder;
  const TestFolder copy;
  const std::string log = StoreFile(folder.path()) + "-wal";
  const auto store = Open(folder);
  ASSERT_NE(store, nullptr);
  Do(*store, PutOf("/k", "v"));
  const auto at_first = std::filesystem::file_size(log);
  EXPECT_GE(at_first, 200'000U);
  size_t times_longer = 0;
  for (int i = 0; i < 40; ++i) {
    const auto before = std::filesystem::file_size(log);
    Do(*store, PutOf("/k/" + std::to_string(i), std::string(10'000, 'v')));
    if (std::filesystem::file_size(log) != before) ++times_longer;
  }
  EXPECT_GE(std::filesystem::file_size(log), at_first + 400'000);
  EXPECT_LE(times_longer, 8U);
  // The state after a power cut.
  for (const char* end : {"", "-wal"}) {
    std::filesystem::copy_file(StoreFile(folder.path()) + end, StoreFile(copy.path()) + end);
  }
  const auto again = Open(copy);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(All(*again->Read()), All(*store->Read()));
  EXPECT_EQ(again->Read()->revision(), store->Read()->revision());
}

TEST(SqliteReopen, WatchesResumeWithinWhatIsReadBackAndExpireBefore) {
  const TestFolder folder;
  {
    const auto store = Open(folder);
    for (int i = 0; i < 10; ++i) Do(*store, PutOf("/r/pods/k", std::to_string(i)));
  }
  const auto store = Open(folder, {}, {.recovered_events_max = 3});
  EXPECT_EQ(store->status().floor, Revision{8});
  EXPECT_THAT(EventsFrom(*store, Revision{8}),
              ElementsAre("~/r/pods/k=7@2/9/8 was /r/pods/k=6@2/8/7",
                          "~/r/pods/k=8@2/10/9 was /r/pods/k=7@2/9/8",
                          "~/r/pods/k=9@2/11/10 was /r/pods/k=8@2/10/9"));
  EXPECT_EQ(store->EventsAfter(Revision{7}, "", 9).error().reason, StatusReason::kExpired);
  EXPECT_EQ(store->ReadAt(Revision{7}).error().reason, StatusReason::kExpired);
  EXPECT_EQ(All(**store->ReadAt(Revision{8})), (std::vector<std::string>{"/r/pods/k=6@2/8/7"}));
}

TEST(SqliteReopen, HistoryIsReadBackUpToItsBytes) {
  const TestFolder folder;
  {
    const auto store = Open(folder);
    for (int i = 0; i < 10; ++i) Do(*store, PutOf("k", std::string(10'000, 'v')));
  }
  EXPECT_EQ(Open(folder, {}, {.recovered_bytes_max = 35'000})->status().events, 3U);
  EXPECT_EQ(Open(folder, {.event_bytes_max = 25'000})->status().events, 2U);
}

TEST(SqliteReopen, RevisionsGoOnWhenTheLastRecordsAreGone) {
  const TestFolder folder;
  {
    const auto store = Open(folder);
    Do(*store, PutOf("k", "v"));
    EXPECT_EQ(Do(*store, DeleteOf("k")).revision, Revision{3});
    ASSERT_TRUE(store->Compact(Revision{3}).has_value());
  }
  ASSERT_TRUE(CompactFolder(folder.path()).has_value());
  EXPECT_EQ(StatusOf(folder.path())->rows, 0U) << "the deletion itself has been deleted";
  const auto store = Open(folder);
  EXPECT_EQ(store->Read()->revision(), Revision{3});
  EXPECT_EQ(store->status().floor, Revision{3});
  EXPECT_EQ(Do(*store, PutOf("k", "w")).revision, Revision{4});
  EXPECT_EQ(Text(*store->Read()->Find("k")), "k=w@4/4/1");
}

TEST(SqliteReopen, TheFloorNeverFalls) {
  const TestFolder folder;
  {
    const auto store = Open(folder);
    for (int i = 0; i < 9; ++i) Do(*store, PutOf("k", std::to_string(i)));
    ASSERT_TRUE(store->Compact(Revision{6}).has_value());
    // Closing waits for queued requests, not for upkeep; a commit after the upkeep waits for it.
    while (StatusOf(folder.path())->floor < Revision{6}) Do(*store, PutOf("k", "again"));
  }
  EXPECT_GE(Open(folder)->status().floor, Revision{6});
}

TEST(SqliteReopen, AnyBytesAreKeptUpToTheLimits) {
  const TestFolder folder;
  std::string all(256, '\0');
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i);
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {std::string(1, '\0'), ""},
      {all, all},
      {"\xff\xff", std::string(3, '\0')},
      {std::string(kKeyBytesMax, 'k'), std::string(kValueBytesMax, 'v')}};
  {
    const auto store = Open(folder);
    for (const auto& [key, value] : pairs) Do(*store, PutOf(key, value));
  }
  const auto store = Open(folder);
  ASSERT_EQ(store->Read()->size(), pairs.size());
  for (const auto& [key, value] : pairs) {
    const Record* record = store->Read()->Find(key);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->value->bytes(), value);
  }
}

class Marked final : public Value {
 public:
  explicit Marked(std::string text) : text_(std::move(text)) {}
  std::string bytes() const override { return text_; }

 private:
  const std::string text_;
};

TEST(SqliteReopen, ValuesAreMadeByTheReaderGiven) {
  const TestFolder folder;
  {
    const auto store = Open(folder);
    Do(*store, PutOf("k", "old"));
    Do(*store, PutOf("k", "new"));
    Do(*store, PutOf("j", "x"));
  }
  std::vector<std::string> read;
  const Options options{.read_value = [&](std::string_view key, std::string_view bytes) {
    read.push_back(std::string(key) + "=" + std::string(bytes));
    return std::make_shared<const Marked>(std::string(bytes) + "!");
  }};
  const auto store = Open(folder, options);
  EXPECT_EQ(Text(*store->Read()->Find("k")), "k=new!@2/3/2");
  EXPECT_EQ(store->EventsAfter(Revision{2}, "", 1)->events[0]->previous->value->bytes(), "old!");
  EXPECT_THAT(read, ::testing::UnorderedElementsAre("k=old", "k=new", "j=x")) << "each once";
}

TEST(SqliteReopen, AValueThatCannotBeReadIsNamed) {
  const TestFolder folder;
  Do(*Open(folder), PutOf("/r/pods/a", "v"));
  const Options options{
      .read_value = [](std::string_view, std::string_view) { return Frozen<Value>(); }};
  const auto refused = SqliteStore::Open(folder.path(), options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message,
              HasSubstr("the value of /r/pods/a at revision 2 cannot be read"));
}

}  // namespace
}  // namespace dray::store::sqlite
