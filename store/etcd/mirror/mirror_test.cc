// SPDX-License-Identifier: Apache-2.0
// The parts of the store in etcd that need no etcd: the mirror, the choice of the server that
// compacts, leases, waits for revisions, and the meaning of failures.
#include "store/etcd/mirror/mirror.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/frozen.h"
#include "base/strong.h"
#include "store/etcd/rpc/messages.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::etcd::mirror {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Progress = Mirror::Progress;
using store::testing::Text;

Mirror NewMirror() {
  return {"/registry/",
          [](std::string_view /*key*/, std::string_view bytes) { return MakeBytes(bytes); }};
}

Frozen<Snapshot> Load(Mirror& mirror, const std::vector<rpc::KeyValue>& all, int64_t at) {
  std::vector<Frozen<Record>> records;
  for (const rpc::KeyValue& kv : all) records.push_back(mirror.RecordOf(kv));
  return mirror.Load(records, Revision{at});
}

const rpc::KeyValue kA10{
    .key = "/registry/a", .created = Revision{10}, .modified = Revision{10}, .version = 1};

struct Lives {
  int64_t created = 0;
  int64_t version = 1;
  std::optional<int64_t> replaces{};
};

rpc::WatchEvent PutAt(int64_t revision, std::string_view key, Lives lives = {}) {
  return {.is_deletion = false,
          .kv = {.key = std::string(key),
                 .value = std::to_string(revision),
                 .created = Revision{lives.created == 0 ? revision : lives.created},
                 .modified = Revision{revision},
                 .version = lives.version},
          .previous_modified =
              lives.replaces.has_value() ? std::optional(Revision{*lives.replaces}) : std::nullopt};
}

rpc::WatchEvent DeletionAt(int64_t revision, std::string_view key) {
  return {.is_deletion = true, .kv = {.key = std::string(key), .modified = Revision{revision}}};
}

rpc::WatchAnswer AnswerOf(std::vector<rpc::WatchEvent> events, int64_t header = 1000) {
  return {.revision = Revision{header}, .events = std::move(events)};
}

/// Each change as "revision: events".
std::vector<std::string> Texts(const Mirror::Step& step) {
  std::vector<std::string> texts;
  for (const Change& change : step.changes) {
    std::string text = std::to_string(change.next->revision().value()) + ":";
    for (const Frozen<Event>& event : change.events) text += " " + Text(*event);
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST(EtcdMirror, EventsOfOneRevisionAreOneChange) {
  Mirror mirror = NewMirror();
  Load(mirror, {}, 10);
  const auto step = mirror.Apply(AnswerOf({PutAt(11, "/registry/b"),
                                           PutAt(11, "/registry/a"),
                                           PutAt(13, "/registry/a", {11, 2, 11}),
                                           DeletionAt(14, "/registry/b")}),
                                 Progress::kIgnored);
  ASSERT_TRUE(step.has_value()) << step.error();
  EXPECT_THAT(Texts(*step),
              ElementsAre("11: +/registry/b=11@11/11/1 +/registry/a=11@11/11/1",
                          "13: ~/registry/a=13@11/13/2",
                          "14: -/registry/b=11@11/14/1"));
  EXPECT_EQ(step->changes[0].next->size(), 2U) << "each change has the state of its revision";
  EXPECT_EQ(step->reached, Revision{14}) << "not the header's";
  EXPECT_EQ(mirror.snapshot()->size(), 1U);
  EXPECT_EQ(mirror.live_bytes(), std::string_view("/registry/a13").size());
}

TEST(EtcdMirror, ForeignKeysOnlyAdvance) {
  Mirror mirror = NewMirror();
  EXPECT_TRUE(mirror.Shows("/registry/a"));
  for (const char* foreign :
       {"/registryx", "/registry", "compact_rev_key", "/registry/dray.fences/0a1", ""}) {
    EXPECT_FALSE(mirror.Shows(foreign)) << foreign;
  }
  EXPECT_FALSE(Mirror("", nullptr).Shows("compact_rev_key")) << "never, whatever the prefix";
  Load(mirror, {}, 10);
  const auto step =
      mirror.Apply(AnswerOf({PutAt(11, "/registryx", {3, 7}), DeletionAt(12, "never seen")}),
                   Progress::kIgnored);
  ASSERT_TRUE(step.has_value()) << step.error();
  EXPECT_THAT(step->changes, IsEmpty());
  EXPECT_EQ(step->reached, Revision{12});
  EXPECT_EQ(mirror.reached(), Revision{12});
}

TEST(EtcdMirror, ProgressCountsWhereItIsTrusted) {
  Mirror mirror = NewMirror();
  Load(mirror, {}, 10);
  EXPECT_EQ(mirror.Apply(AnswerOf({}, 15), Progress::kIgnored)->reached, Revision{10});
  EXPECT_EQ(mirror.Apply(AnswerOf({}, 15), Progress::kTrusted)->reached, Revision{15});
  EXPECT_EQ(mirror.Apply(AnswerOf({}, 12), Progress::kTrusted)->reached, Revision{15})
      << "an older one takes nothing back";
  const auto step = mirror.Apply(AnswerOf({PutAt(16, "/registry/a")}, 20), Progress::kTrusted);
  EXPECT_EQ(step->reached, Revision{16}) << "with events, more may be on its way";
}

TEST(EtcdMirror, FragmentsCountOnceTheyAreComplete) {
  Mirror mirror = NewMirror();
  Load(mirror, {}, 10);
  rpc::WatchAnswer first = AnswerOf({PutAt(11, "/registry/a"), PutAt(12, "/registry/b")});
  first.fragment = true;
  rpc::WatchAnswer second = AnswerOf({PutAt(12, "/registry/c")});
  second.fragment = true;
  EXPECT_EQ(mirror.Apply(first, Progress::kTrusted)->reached, Revision{10});
  EXPECT_THAT(mirror.Apply(second, Progress::kTrusted)->changes, IsEmpty());
  const auto step = mirror.Apply(AnswerOf({PutAt(13, "/registry/d")}), Progress::kTrusted);
  ASSERT_TRUE(step.has_value());
  EXPECT_THAT(Texts(*step),
              ElementsAre("11: +/registry/a=11@11/11/1",
                          "12: +/registry/b=12@12/12/1 +/registry/c=12@12/12/1",
                          "13: +/registry/d=13@13/13/1"));
}

TEST(EtcdMirror, TheBeginningOfABrokenAnswerIsForgotten) {
  Mirror mirror = NewMirror();
  Load(mirror, {}, 10);
  rpc::WatchAnswer first = AnswerOf({PutAt(11, "/registry/a")});
  first.fragment = true;
  ASSERT_TRUE(mirror.Apply(first, Progress::kTrusted).has_value());
  mirror.ForgetFragments();  // the watch broke; the next watch repeats the events
  const auto step = mirror.Apply(AnswerOf({PutAt(11, "/registry/a")}), Progress::kTrusted);
  ASSERT_TRUE(step.has_value()) << step.error();
  EXPECT_THAT(Texts(*step), ElementsAre("11: +/registry/a=11@11/11/1"));
}

TEST(EtcdMirror, WhatDoesNotFitIsFoundAndChangesNothing) {
  struct Case {
    std::string_view name;
    std::vector<rpc::WatchEvent> events;
    std::string_view error;
  };
  const Case cases[] = {
      {"repeated", {PutAt(10, "/registry/a", {10, 2})}, "revision 10 came after 10"},
      {"reordered",
       {PutAt(12, "/registry/b"), PutAt(11, "/registry/c")},
       "revision 11 came after 12"},
      {"lost put", {PutAt(11, "/registry/a", {10, 3})}, "version 3 after 1"},
      {"lost creation", {PutAt(11, "/registry/b", {10, 2})}, "version 2 after 0"},
      {"lost deletion", {PutAt(11, "/registry/a")}, "version 1 after 1"},
      {"lost put before a deletion",
       {rpc::WatchEvent{.is_deletion = true,
                        .kv = {.key = "/registry/a", .modified = Revision{12}},
                        .previous_modified = Revision{11}}},
       "it replaces revision 11, not 10"},
      {"lost life", {DeletionAt(11, "/registry/b")}, "a deletion of a key that was not there"},
      {"at the end",
       {PutAt(11, "/registry/b"), DeletionAt(12, "/registry/c")},
       "/registry/c at revision 12"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    Mirror mirror = NewMirror();
    Load(mirror, {kA10}, 10);
    const auto step = mirror.Apply(AnswerOf(each.events), Progress::kTrusted);
    ASSERT_FALSE(step.has_value());
    EXPECT_THAT(step.error(), HasSubstr(each.error));
    EXPECT_EQ(mirror.reached(), Revision{10});
    EXPECT_EQ(mirror.snapshot()->size(), 1U);
  }
}

TEST(EtcdMirror, ACompactedPreviousValueIsNoReasonToDoubt) {
  Mirror mirror = NewMirror();
  Load(mirror, {kA10}, 10);
  const auto step =
      mirror.Apply(AnswerOf({PutAt(11, "/registry/a", {10, 2}), DeletionAt(12, "/registry/a")}),
                   Progress::kTrusted);
  ASSERT_TRUE(step.has_value());
  EXPECT_THAT(Texts(*step),
              ElementsAre("11: ~/registry/a=11@10/11/2", "12: -/registry/a=11@10/12/2"));
}

TEST(EtcdSpans, APrefixIsASpanOfKeys) {
  const auto span = [](std::string prefix) {
    const rpc::KeySpan keys = rpc::SpanOfPrefix(std::move(prefix));
    return keys.first + "|" + keys.end;
  };
  EXPECT_EQ(span("/registry/"), "/registry/|/registry0");
  EXPECT_EQ(span("a\xff"), "a\xff|b");
  EXPECT_EQ(span("\xff\xff"), "\xff\xff|" + std::string(1, '\0'));
  EXPECT_EQ(span(""), std::string(1, '\0') + "|" + std::string(1, '\0'));
}

}  // namespace
}  // namespace dray::store::etcd::mirror
