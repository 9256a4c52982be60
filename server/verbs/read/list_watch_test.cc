// SPDX-License-Identifier: Apache-2.0
// Lists, their pages, and watches.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/status.h"
#include "server/testing/fixture.h"
#include "server/verbs/read/list_plan.h"

namespace dray::server::verbs::inline read {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ListTest : public testing::ServerTest {
 protected:
  // Classes a to f; those at even places have the label odd=0.
  void SetUp() override {
    for (char name = 'a'; name <= 'f'; ++name) {
      Post("deviceclasses",
           "",
           std::string(R"({"metadata":{"name":")") + name + R"(","labels":{"odd":")" +
               ((name - 'a') % 2 == 0 ? "0" : "1") + R"("}},"spec":{}})");
    }
  }
  ResourceRequest Classes(ListOptions options) const {
    ResourceRequest request = Request(Verb::kList, "deviceclasses", "", "");
    request.list = std::move(options);
    return request;
  }
};

// The resourceVersion of a list is that of the snapshot it shows.
TEST_F(ListTest, PagesShowOneSnapshot) {
  const Result<ListAnswer> first = Lists(Classes({.limit = 2}));
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(Names(first->items), "a b");
  EXPECT_EQ(first->remaining_item_count, 4);
  Delete("deviceclasses", "", "d");
  Post("deviceclasses", "", R"({"metadata":{"name":"bb"},"spec":{}})");
  const Result<ListAnswer> second =
      Lists(Classes({.continue_token = first->continue_token, .limit = 3}));
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(Names(second->items), "c d e");
  EXPECT_EQ(second->resource_version, first->resource_version);
  EXPECT_EQ(second->remaining_item_count, 1);
  const Result<ListAnswer> last =
      Lists(Classes({.continue_token = second->continue_token, .limit = 3}));
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(Names(last->items), "f");
  EXPECT_EQ(last->continue_token, "");
  EXPECT_EQ(last->remaining_item_count, std::nullopt);
}

TEST_F(ListTest, ExactlyTheLastPageHasNoToken) {
  const Result<ListAnswer> all = Lists(Classes({.limit = 6}));
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->continue_token, "");
}

TEST_F(ListTest, AnExpiredTokenComesWithOneThatGoesOn) {
  const Result<ListAnswer> first = Lists(Classes({.limit = 2}));
  ASSERT_TRUE(first.has_value());
  Delete("deviceclasses", "", "c");
  ASSERT_TRUE(store_.Compact(store_.Read()->revision()).has_value());
  const Result<ListAnswer> expired =
      Lists(Classes({.continue_token = first->continue_token, .limit = 2}));
  ASSERT_FALSE(expired.has_value());
  EXPECT_EQ(expired.error().reason, StatusReason::kExpired);
  EXPECT_THAT(expired.error().message, StartsWith("The provided continue parameter is too old"));
  const Result<ListAnswer> rest = Lists(
      Classes({.continue_token = api::StatusOf(expired.error()).metadata.continue_, .limit = 9}));
  ASSERT_TRUE(rest.has_value());
  EXPECT_EQ(Names(rest->items), "d e f");
}

struct Selected {
  const char* labels;
  const char* fields;
  const char* names;
};
constexpr Selected kSelected[] = {
    {"odd=1", "", "b d f"},
    {"odd!=1", "", "a c e"},
    {"odd in (0,1)", "metadata.name!=c", "a b d e f"},
    {"!odd", "", ""},
    {"", "metadata.name=c", "c"},
    {"odd=1", "metadata.name=c", ""},
    {"", "metadata.name=none", ""},
    {"",
     "spec.x=1",
     R"("spec.x" is not a known field selector: only "metadata.name", "metadata.namespace")"},
    {"odd==", "", ""},
    {"=a", "", "found '=', expected: !, identifier, or 'end of string'"},
};

TEST_F(ListTest, SelectorsChoose) {
  for (const Selected& selected : kSelected) {
    EXPECT_EQ(
        Names(Classes({.label_selector = selected.labels, .field_selector = selected.fields})),
        selected.names)
        << selected.labels << " " << selected.fields;
  }
}

TEST_F(ListTest, SlicesAreSelectedByAbsentNodeName) {
  Post("resourceslices", "", R"({"metadata":{"name":"net"},"spec":{"driver":"d.x","allNodes":true,
      "pool":{"name":"net","resourceSliceCount":1}}})");
  Post("resourceslices", "", R"({"metadata":{"name":"n1"},"spec":{"driver":"d.x","nodeName":"n1",
      "pool":{"name":"n1","resourceSliceCount":1}}})");
  ResourceRequest request = Request(Verb::kList, "resourceslices", "", "");
  request.list.field_selector = "spec.driver=d.x,spec.nodeName=";
  EXPECT_EQ(Names(request), "net");
  request.list.field_selector = "spec.nodeName=n1";
  EXPECT_EQ(Names(request), "n1");
  request.list.field_selector = "spec.foo=n1";
  EXPECT_EQ(Names(request),
            "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.foo");
}

struct Versioned {
  ListOptions options;
  const char* message;
};

TEST_F(ListTest, BadVersionsAndTokensAreRefused) {
  const Versioned cases[] = {
      {{.resource_version = "999999"}, "Timeout: Too large resource version: 999999, current: "},
      {{.resource_version = "abc"},
       "invalid resource version: strconv.ParseUint: parsing \"abc\": invalid syntax"},
      {{.resource_version_match = "Exact"},
       "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
       "resourceVersionMatch is forbidden unless resourceVersion is provided"},
      {{.send_initial_events = true},
       "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents "
       "is "
       "forbidden for list"},
      {{.continue_token = "!!"},
       "invalid continue token: continue key is not valid: illegal base64 data at input byte 0"},
      {{.continue_token = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIuLi8uLi94In0"},
       "invalid continue token: continue key is not valid: ../../x"},
      {{.continue_token = "eyJ2IjoibWV0YS5rOHMuaW8vdjkiLCJydiI6NSwic3RhcnQiOiJtMlx1MDAwMCJ9"},
       "invalid continue token: continue key is not valid: server does not recognize this encoded "
       "version meta.k8s.io/v9"},
      {{.resource_version = "2",
        .continue_token = EncodeContinue({.revision = 3, .start = std::string("a\0", 2)}),
        .limit = 1},
       "specifying resource version is not allowed when using continue"},
  };
  for (const Versioned& bad : cases) {
    EXPECT_THAT(Names(Classes(bad.options)), StartsWith(bad.message));
  }
}

TEST_F(ListTest, OldReleasesReadVersionsBeforeTheyJudgeThem) {
  const auto refused = [&](ListOptions options, api::Release release) {
    ResourceRequest request = Classes(std::move(options));
    request.release = release;
    const Result<ListAnswer> list = Lists(std::move(request));
    return list.has_value() ? "" : list.error().message;
  };
  constexpr std::string_view kWhy = R"(strconv.ParseUint: parsing "abc": invalid syntax)";
  const std::string by_cache = fmt::format(R"(resourceVersion: Invalid value: "abc": {})", kWhy);
  const std::string judged = fmt::format("invalid resource version: {}", kWhy);
  EXPECT_EQ(refused({.resource_version = "abc"}, api::Release::k1_32), by_cache);
  EXPECT_EQ(refused({.resource_version = "abc", .limit = 1}, api::Release::k1_32), judged);
  EXPECT_EQ(
      refused({.resource_version = "abc", .resource_version_match = "Exact"}, api::Release::k1_32),
      judged);
  EXPECT_EQ(refused({.resource_version = "abc"}, api::Release::k1_33), judged);
}

TEST_F(ListTest, OldReleasesTakeALimitWithATokenAndVersion0) {
  const Result<ListAnswer> first = Lists(Classes({.limit = 2}));
  ASSERT_TRUE(first.has_value());
  ResourceRequest next =
      Classes({.resource_version = "0", .continue_token = first->continue_token, .limit = 2});
  next.release = api::Release::k1_33;
  EXPECT_EQ(Names(next), "c d");
  next.release = api::Release::k1_34;
  EXPECT_EQ(Names(next), "c d e f");
}

TEST_F(ListTest, SelectorsAreRefusedInTheWordsOfTheRelease) {
  ResourceRequest request = Classes({.label_selector = "a/b/c=x"});
  EXPECT_THAT(Names(request), HasSubstr(": a valid label key must consist of"));
  request.release = api::Release::k1_31;
  EXPECT_THAT(Names(request), HasSubstr(": a qualified name must consist of"));
}

TEST_F(ListTest, TokensAreOfOneStore) {
  const auto next = [&](std::string store) {
    return Names(
        Classes({.continue_token = EncodeContinue({.revision = store_.Read()->revision().value(),
                                                   .start = "a",
                                                   .store = std::move(store)})}));
  };
  const std::string all = Names(Classes({}));
  EXPECT_EQ(next(store_.status().id), all);
  EXPECT_EQ(next(""), all) << "as upstream writes them";
  EXPECT_EQ(next("00000000000000ff"),
            "The provided continue parameter is of another store (00000000000000ff, this one is "
            "0000000000000001). Start a new list without the continue parameter.");
}

// ----------------------------------------------------------------------------------------- watches

class WatchTest : public testing::ServerTest {
 protected:
  std::unique_ptr<WatchCursor> Open(ListOptions options,
                                    std::string_view plural = "deviceclasses") {
    ResourceRequest request = Request(Verb::kWatch, plural, "", "");
    request.list = std::move(options);
    Result<std::unique_ptr<WatchCursor>> cursor = resources_.Watch(request);
    EXPECT_TRUE(cursor.has_value());
    return *std::move(cursor);
  }
  std::string Newest() { return std::to_string(store_.Read()->revision().value()); }
  void Class(const std::string& name, const std::string& label = "0") {
    const std::string body =
        R"({"metadata":{"name":")" + name + R"(","labels":{"x":")" + label + R"("}},"spec":{}})";
    if (Read("deviceclasses", "", name).starts_with("200")) {
      Put("deviceclasses", "", name, body);
    } else {
      Post("deviceclasses", "", body);
    }
  }
  // The next events as text, such as "ADDED a, DELETED b"; "END" is the bookmark that ends the
  // initial events. Skips calls of Next() that return no events although more are pending.
  static std::string Texts(WatchCursor& cursor, size_t max = 100) {
    std::string texts;
    std::vector<WatchEvent> events = cursor.Next(max);
    while (events.empty() && cursor.has_more()) events = cursor.Next(max);
    for (const WatchEvent& event : events) {
      if (!texts.empty()) texts += ", ";
      if (event.type == WatchEventType::kError) {
        texts += "ERROR " + event.status->message;
      } else if (event.type == WatchEventType::kBookmark) {
        texts += event.item.object.metadata().annotations.empty() ? "BOOKMARK" : "END";
      } else {
        texts += std::string(WatchEventName(event.type)) + " " + event.item.object.metadata().name;
      }
    }
    return texts;
  }
};

TEST_F(WatchTest, WithoutVersionBeginsWithWhatIsThere) {
  Class("a");
  Class("b");
  const auto cursor = Open({});
  EXPECT_EQ(Texts(*cursor), "ADDED a, ADDED b");
  EXPECT_EQ(Texts(*cursor), "");
  Class("a", "1");
  Delete("deviceclasses", "", "b");
  EXPECT_EQ(Texts(*cursor), "MODIFIED a, DELETED b");
}

TEST_F(WatchTest, InitialEventsComeInPagesAndMissNothing) {
  Class("a");
  Class("b");
  Class("c");
  const auto cursor = Open({.resource_version_match = "NotOlderThan",
                            .allow_watch_bookmarks = true,
                            .send_initial_events = true});
  EXPECT_EQ(Texts(*cursor, 2), "ADDED a, ADDED b");
  EXPECT_EQ(cursor->Bookmark(), std::nullopt);
  Class("d");
  EXPECT_EQ(Texts(*cursor, 2), "ADDED c, END");
  EXPECT_EQ(Texts(*cursor, 2), "ADDED d");
}

// Without an error, a client would wait for a bookmark that never comes.
TEST_F(WatchTest, InitialEventsAreRefusedWhereTheReleaseHasThemOff) {
  const std::pair<api::Release, bool> cases[] = {{api::Release::k1_31, false},
                                                 {api::Release::k1_32, true},
                                                 {api::Release::k1_33, false},
                                                 {api::Release::k1_34, true},
                                                 {api::Release::kAny, true}};
  for (const auto& [release, is_served] : cases) {
    ResourceRequest request = Request(Verb::kWatch, "deviceclasses", "", "");
    request.release = release;
    request.list = {.resource_version_match = "NotOlderThan",
                    .allow_watch_bookmarks = true,
                    .send_initial_events = true};
    const Result<std::unique_ptr<WatchCursor>> cursor = resources_.Watch(request);
    ASSERT_EQ(cursor.has_value(), is_served) << MinorOf(release);
    if (is_served) {
      EXPECT_EQ(Texts(**cursor), "END");
    } else {
      EXPECT_EQ(cursor.error().reason, StatusReason::kInvalid);
      EXPECT_EQ(cursor.error().message,
                "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: "
                "sendInitialEvents is forbidden for watch unless the WatchList feature gate is "
                "enabled");
    }
  }
}

TEST_F(WatchTest, FromAVersionShowsOnlyWhatFollows) {
  Class("a");
  const auto cursor = Open({.resource_version = Newest()});
  EXPECT_EQ(Texts(*cursor), "");
  Class("b");
  EXPECT_EQ(Texts(*cursor), "ADDED b");
}

TEST_F(WatchTest, SelectorTransitionsAreAddedAndDeleted) {
  Class("a", "1");
  Class("b", "2");
  const auto cursor = Open({.label_selector = "x=1", .resource_version = Newest()});
  Class("b", "1");
  Class("a", "2");
  Class("a", "3");
  Delete("deviceclasses", "", "a");
  const std::vector<WatchEvent> events = cursor->Next(100);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].type, WatchEventType::kAdded);
  EXPECT_EQ(events[1].type, WatchEventType::kDeleted);
  // A deletion carries the last matching content, at the revision of the change that ended it.
  EXPECT_THAT(std::string(storage::JsonOf(events[1].item)), HasSubstr(R"("x":"1")"));
  EXPECT_GT(events[1].item.object.metadata().resource_version,
            events[0].item.object.metadata().resource_version);
}

// A client that continued from an older version would see the deletion again.
TEST_F(WatchTest, ADeletionCarriesItsOwnVersion) {
  Class("a");
  const auto cursor = Open({.resource_version = Newest()});
  Delete("deviceclasses", "", "a");
  const std::vector<WatchEvent> events = cursor->Next(100);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].item.object.metadata().resource_version, Newest());
  EXPECT_THAT(std::string(storage::JsonOf(events[0].item)),
              HasSubstr("\"resourceVersion\":\"" + Newest() + "\""));
}

// The bookmark advances also when no watched object changes.
TEST_F(WatchTest, BookmarksSayWhereTheCursorStands) {
  const auto cursor = Open({.resource_version = Newest(), .allow_watch_bookmarks = true});
  Post("namespaces", "", R"({"metadata":{"name":"elsewhere"}})");
  EXPECT_EQ(Texts(*cursor), "");
  const std::optional<WatchEvent> bookmark = cursor->Bookmark();
  ASSERT_TRUE(bookmark.has_value());
  EXPECT_EQ(
      std::string(storage::JsonOf(bookmark->item)),
      R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"resourceVersion":")" +
          Newest() + R"("},"spec":{}})");
  EXPECT_EQ(Open({.resource_version = Newest()})->Bookmark(), std::nullopt);
}

TEST_F(WatchTest, BookmarksOfWorkloadsHaveNoReplicas) {
  for (const auto& [plural, is_said] : {std::pair("deployments", true),
                                        {"replicasets", true},
                                        {"statefulsets", true},
                                        {"daemonsets", false},
                                        {"replicationcontrollers", false}}) {
    const auto cursor = Open({.resource_version = Newest(), .allow_watch_bookmarks = true}, plural);
    const std::optional<WatchEvent> bookmark = cursor->Bookmark();
    ASSERT_TRUE(bookmark.has_value());
    EXPECT_EQ(storage::JsonOf(bookmark->item).contains(R"("spec":{"replicas":0)"), is_said)
        << plural;
  }
}

TEST_F(WatchTest, AVersionThatIsGoneEndsTheStream) {
  const std::string old = Newest();
  Class("a");
  Class("b");
  ASSERT_TRUE(store_.Compact(store_.Read()->revision()).has_value());
  const auto cursor = Open({.resource_version = old});
  EXPECT_EQ(Texts(*cursor), "ERROR too old resource version: " + old + " (" + Newest() + ")");
  EXPECT_EQ(Texts(*cursor), "");
}

TEST_F(WatchTest, WakesAfterCommits) {
  const auto cursor = Open({.resource_version = Newest()});
  int wakes = 0;
  cursor->OnChange([&] { ++wakes; });
  Class("a");
  EXPECT_EQ(wakes, 1);
  Post("namespaces", "", R"({"metadata":{"name":"elsewhere"}})");
  EXPECT_EQ(wakes, 1);
}

TEST_F(WatchTest, AWatchByNameIsWokenForThatNameOnly) {
  const auto cursor = Open({.field_selector = "metadata.name=a", .resource_version = Newest()});
  int wakes = 0;
  cursor->OnChange([&] { ++wakes; });
  Class("b");
  EXPECT_EQ(wakes, 0);
  Class("a-longer-one");
  EXPECT_EQ(Texts(*cursor), "");
  Class("a");
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(Texts(*cursor), "ADDED a");
  Delete("deviceclasses", "", "a");
  EXPECT_EQ(Texts(*cursor), "DELETED a");
}

TEST_F(WatchTest, OneWakeIsForAllWatchesOfAScopeThatShareAWatcher) {
  class Counter final : public Wakeable {
   public:
    void Wake() override { ++wakes; }
    int wakes = 0;
  };
  const auto counter = std::make_shared<Counter>();
  auto first = Open({.resource_version = Newest()});
  const auto second = Open({.resource_version = Newest()});
  ASSERT_EQ(first->scope(), second->scope());
  first->WakeOnChange(counter);
  second->WakeOnChange(counter);
  Class("a");
  EXPECT_EQ(counter->wakes, 1);
  first.reset();
  Class("b");
  EXPECT_EQ(counter->wakes, 2) << "the other one is still there";
}

TEST_F(WatchTest, AClosedWatchIsNotWoken) {
  int wakes = 0;
  {
    const auto cursor = Open({.resource_version = Newest()});
    cursor->OnChange([&] { ++wakes; });
  }
  Class("a");
  EXPECT_EQ(wakes, 0);
}

TEST_F(WatchTest, TheDeadlineIsTheClientsOrRandom) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  const std::pair<int64_t, int64_t> cases[] = {{7, 7},
                                               {1, 1},
                                               {-1, 0},
                                               {std::numeric_limits<int64_t>::min(), 0},
                                               {kWatchSecondsMax, kWatchSecondsMax},
                                               {kWatchSecondsMax + 1, kWatchSecondsMax},
                                               {9'223'372'037, kWatchSecondsMax},
                                               {kHuge, kWatchSecondsMax}};
  for (const auto& [asked, given] : cases) {
    EXPECT_EQ(Open({.timeout_seconds = asked})->timeout_seconds(), given) << asked;
  }
  for (const std::optional<int64_t> unset : {std::optional<int64_t>(), std::optional<int64_t>(0)}) {
    const int64_t random = Open({.timeout_seconds = unset})->timeout_seconds();
    EXPECT_GE(random, 1800);
    EXPECT_LT(random, 3600);
  }
}

// A commit between the watch's snapshot and its registration wakes no watcher: the watch has to
// read the store again.
TEST_F(WatchTest, WhatIsCommittedWhileItBeginsIsSeen) {
  const auto begin = [&](const ListOptions& options, std::string_view label, size_t page) {
    const auto cursor = Open(options);  // takes the snapshot
    static int round = 0;
    const std::string name = "late-" + std::to_string(round++);
    Class(name, std::string(label));
    cursor->OnChange([] {});
    std::string seen;
    for (std::string texts = Texts(*cursor, page); !texts.empty(); texts = Texts(*cursor, page)) {
      seen += texts + ", ";
    }
    Delete("deviceclasses", "", name);
    return seen.find("ADDED " + name) == std::string::npos ? "lost after " + seen : "seen";
  };
  const auto every_way = [&](const std::string& what) {
    const std::vector<ListOptions> ways = {
        {},
        {.resource_version = "0"},
        {.resource_version = Newest()},
        {.resource_version = "1"},
        {.allow_watch_bookmarks = true},
        {.label_selector = "x=1"},
        {.label_selector = "x=1", .resource_version = "0"},
        {.label_selector = "x=1", .resource_version = Newest()},
        {.resource_version_match = "NotOlderThan", .send_initial_events = true},
        {.resource_version_match = "NotOlderThan", .send_initial_events = false},
        {.resource_version_match = "NotOlderThan",
         .allow_watch_bookmarks = true,
         .send_initial_events = true},
        {.resource_version = "0",
         .resource_version_match = "NotOlderThan",
         .allow_watch_bookmarks = true,
         .send_initial_events = true},
        {.resource_version = Newest(),
         .resource_version_match = "NotOlderThan",
         .allow_watch_bookmarks = true,
         .send_initial_events = true},
    };
    for (size_t i = 0; i < ways.size(); ++i) {
      for (const size_t page : {size_t{1}, size_t{2}, size_t{100}}) {
        EXPECT_EQ(begin(ways[i], "1", page), "seen") << what << ", way " << i << ", page " << page;
      }
    }
  };
  every_way("an empty collection");
  Class("a");
  every_way("an object that no selector matches");
  Class("b", "1");
  every_way("objects");
}

// With a selector that matches nothing, one call must not read the whole state.
TEST_F(WatchTest, OneCallLooksAtABoundedPiece) {
  const std::string note(100'000, 'x');
  for (char name = 'a'; name <= 'j'; ++name) {
    Post("deviceclasses",
         "",
         std::string(R"({"metadata":{"name":")") + name + R"(","annotations":{"n":")" + note +
             R"("}},"spec":{}})");
  }
  const auto cursor = Open({.label_selector = "x=1"});
  int calls = 0;
  do {
    EXPECT_TRUE(cursor->Next(100).empty());
    ++calls;
  } while (cursor->has_more());
  EXPECT_GE(calls, 4) << "a megabyte, a quarter at a time";
  Class("k", "1");
  EXPECT_EQ(Texts(*cursor), "ADDED k");
}

TEST_F(WatchTest, AVersionThatIsNotThereYetHasNoBookmark) {
  const int64_t future = store_.Read()->revision().value() + 1;
  const auto cursor =
      Open({.resource_version = std::to_string(future), .allow_watch_bookmarks = true});
  EXPECT_EQ(Texts(*cursor), "");
  EXPECT_EQ(cursor->Bookmark(), std::nullopt);
  Class("a");
  EXPECT_EQ(Texts(*cursor), "") << "the revision itself is not after it";
  EXPECT_TRUE(cursor->Bookmark().has_value());
  Class("b");
  EXPECT_EQ(Texts(*cursor), "ADDED b");
}

TEST_F(WatchTest, VersionsEndWhereUpstreamsDo) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"9223372036854775807", ""},
      {"9223372036854775808", ""},
      {"18446744073709551615", ""},
      {"18446744073709551616", "value out of range"},
      {"18446744073709551616x", "value out of range"},
      {"-1", "invalid syntax"},
      {"+1", "invalid syntax"},
      {"1x", "invalid syntax"},
  };
  for (const auto& [version, why] : cases) {
    ResourceRequest request = Request(Verb::kWatch, "deviceclasses", "", "");
    request.list.resource_version = version;
    const auto cursor = resources_.Watch(request);
    const std::string parse =
        "strconv.ParseUint: parsing \"" + std::string(version) + "\": " + std::string(why);
    if (why.empty()) {
      ASSERT_TRUE(cursor.has_value()) << version;
      EXPECT_EQ(Texts(**cursor), "") << version;
    } else {
      EXPECT_EQ(cursor.error().message,
                "resourceVersion: Invalid value: \"" + std::string(version) + "\": " + parse);
    }
    request.verb = Verb::kGet;
    request.name = "a";
    const std::string got = Do(request);
    EXPECT_THAT(
        got, HasSubstr(why.empty() ? "504 Timeout: Timeout: Too large resource version" : parse));
    request.verb = Verb::kList;
    request.name = "";
    EXPECT_THAT(
        Names(request),
        StartsWith(why.empty() ? "Timeout: Too large resource version: " + std::string(version)
                               : "invalid resource version: " + parse));
  }
}

TEST_F(ListTest, LimitsEndWhereUpstreamsDo) {
  for (const int64_t limit : {int64_t{0},
                              int64_t{-1},
                              std::numeric_limits<int64_t>::min(),
                              int64_t{6},
                              std::numeric_limits<int64_t>::max()}) {
    const Result<ListAnswer> list = Lists(Classes({.limit = limit}));
    ASSERT_TRUE(list.has_value());
    EXPECT_EQ(Names(list->items), "a b c d e f") << limit;
    EXPECT_EQ(list->continue_token, "") << limit;
  }
}

}  // namespace
}  // namespace dray::server::verbs::inline read
