// SPDX-License-Identifier: Apache-2.0
#include "server/http/watch_scope.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/config_map.h"
#include "api/kind.h"
#include "net/reactor.h"
#include "server/storage/item.h"

namespace dray::server::http {
namespace {

class Member final : public ScopeMember {
 public:
  void Pump() override {
    ++pumped;
    if (during) during();
  }
  int pumped = 0;
  std::function<void()> during;
};

class WatchScopeTest : public ::testing::Test {
 protected:
  explicit WatchScopeTest(size_t members = 3 * kWatchesPerTurn)
      : scope_(scopes_.Of(reactor_, "/registry/configmaps/")), members_(members) {
    for (Member& member : members_) scope_->Add(member);
  }

  /// Runs the posted functions, and those that they post.
  void RunAll() {
    idle_ = 0;
    Idle();
    reactor_.Run();
  }
  /// The values of `Member::pumped` of all members, in order.
  std::string Pumped() const {
    std::string text;
    for (const Member& member : members_) text += std::to_string(member.pumped);
    return text;
  }
  std::string All(char digit) const { return std::string(members_.size(), digit); }

  net::Reactor reactor_{RealWorld().clock};
  WatchScopes scopes_;
  std::shared_ptr<WatchScope> scope_;
  std::vector<Member> members_;

 private:
  // The reactor runs one function at a time; the walk is over long before these end.
  void Idle() {
    if (++idle_ == 100) return reactor_.Stop();
    reactor_.Post([this] { Idle(); });
  }
  int idle_ = 0;
};

TEST_F(WatchScopeTest, OneWakeReachesAll) {
  scope_->Wake();
  scope_->Wake();
  RunAll();
  EXPECT_EQ(Pumped(), All('1'));
}

// A request that arrives during a walk does not wait for all watches.
TEST_F(WatchScopeTest, TheReactorHasOtherTurnsBetween) {
  std::string between;
  scope_->Wake();
  reactor_.Post([&] { between = Pumped(); });
  RunAll();
  EXPECT_EQ(between, std::string(kWatchesPerTurn, '1') + std::string(2 * kWatchesPerTurn, '0'));
  EXPECT_EQ(Pumped(), All('1'));
}

TEST_F(WatchScopeTest, ACommitDuringTheWalkReachesThoseThatItHasPassed) {
  members_[kWatchesPerTurn].during = [&] {
    members_[kWatchesPerTurn].during = nullptr;
    scope_->Wake();
    scope_->Wake();
  };
  scope_->Wake();
  RunAll();
  EXPECT_EQ(Pumped(), All('2'));
}

// A member may end during a walk, before or behind its place: no other is skipped or served twice.
TEST_F(WatchScopeTest, EndingDuringTheWalkMovesNobodyPastIt) {
  const size_t at = kWatchesPerTurn + 3;
  const std::vector<size_t> gone = {0, 5, at - 1, at, at + 1, members_.size() - 1};
  members_[at].during = [&] {
    for (const size_t i : gone) scope_->Remove(members_[i]);
  };
  scope_->Wake();
  RunAll();
  for (const size_t i : gone) {
    EXPECT_EQ(members_[i].pumped, i <= at ? 1 : 0) << i;
    members_[i].pumped = 1;
  }
  EXPECT_EQ(Pumped(), All('1'));
}

// Members can end in any order after a walk.
class WatchScopeEnds : public WatchScopeTest, public ::testing::WithParamInterface<size_t> {};

TEST_P(WatchScopeEnds, AfterAWalk) {
  scope_->Wake();
  RunAll();
  for (size_t i = 0, at = 0; i < members_.size(); ++i, at = (at + GetParam()) % members_.size()) {
    scope_->Remove(members_[at]);
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, WatchScopeEnds, ::testing::Values(1, 5, 7, 191));

TEST_F(WatchScopeTest, TheMembersOfAWalkShareTheBytesOfAnEvent) {
  auto object = api::DecodeJson(
      api::Reflected<api::core_v1::ConfigMap>::kKind, R"({"metadata":{"name":"c"}})", nullptr);
  ASSERT_TRUE(object.has_value());
  const verbs::WatchEvent event{.type = verbs::WatchEventType::kAdded,
                                .item = storage::MakeItem(*std::move(object), api::Release::kAny)};
  const auto bytes = [&](documents::Transform transform, documents::Encoding encoding) {
    const documents::Rendering rendering{
        .form = {.encoding = encoding, .transform = transform}, .pretty = false, .table = {}};
    return scope_->FrameOf(event, rendering, documents::ColumnDefinitions::kShown);
  };
  using documents::Encoding;
  using documents::Transform;
  const auto is_shared = [&](Transform transform, Encoding encoding) {
    const net::Bytes first = bytes(transform, encoding);
    const net::Bytes second = bytes(transform, encoding);
    EXPECT_EQ(first.view(), second.view());
    return first.view().data() == second.view().data();
  };
  EXPECT_FALSE(is_shared(Transform::kNone, Encoding::kJson)) << "no other watch is served now";
  members_[1].during = [&] {
    EXPECT_TRUE(is_shared(Transform::kNone, Encoding::kJson));
    EXPECT_TRUE(is_shared(Transform::kNone, Encoding::kProtobuf));
    EXPECT_TRUE(is_shared(Transform::kPartial, Encoding::kJson));
    EXPECT_FALSE(is_shared(Transform::kTable, Encoding::kJson)) << "it says how old an object is";
    EXPECT_NE(bytes(Transform::kNone, Encoding::kJson).view(),
              bytes(Transform::kPartial, Encoding::kJson).view());
  };
  scope_->Wake();
  RunAll();
}

struct Walk {
  const char* name;
  std::vector<size_t> frames;  // the sizes of the frames in the order of the calls
  bool keeps_first;
};

class SharedFrames : public WatchScopeTest, public ::testing::WithParamInterface<Walk> {
 protected:
  net::Bytes FrameOf(const verbs::WatchEvent& event) {
    const documents::Rendering rendering{
        .form = {.encoding = documents::Encoding::kJson}, .pretty = false, .table = {}};
    return scope_->FrameOf(event, rendering, documents::ColumnDefinitions::kShown);
  }
  static verbs::WatchEvent EventWith(size_t filling) {
    api::core_v1::ConfigMap map;
    map.metadata.name = std::string(filling, 'x');
    api::Object object = api::Object::Of(std::move(map));
    return {.type = verbs::WatchEventType::kAdded,
            .item = storage::MakeItem(std::move(object), api::Release::kAny)};
  }
  verbs::WatchEvent EventOf(size_t frame) const { return EventWith(frame - around_); }

  const size_t around_ = FrameOf(EventWith(1)).size() - 1;
};

TEST_P(SharedFrames, AreKeptUpToALimit) {
  int asked = 0;
  members_[0].during = [&] {
    ++asked;
    std::vector<verbs::WatchEvent> events;
    for (const size_t size : GetParam().frames) events.push_back(EventOf(size));
    const net::Bytes first = FrameOf(events.front());
    EXPECT_EQ(first.size(), GetParam().frames.front());
    for (const verbs::WatchEvent& event : events) FrameOf(event);
    const bool is_kept = FrameOf(events.front()).view().data() == first.view().data();
    EXPECT_EQ(is_kept, GetParam().keeps_first);
  };
  scope_->Wake();
  RunAll();
  EXPECT_EQ(asked, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Walks,
    SharedFrames,
    ::testing::Values(Walk{"AsMany", std::vector<size_t>(kSharedFramesMax, 200), true},
                      Walk{"OneMore", std::vector<size_t>(kSharedFramesMax + 1, 200), false},
                      Walk{"Largest", {kSharedFrameBytesMax}, true},
                      Walk{"TooLarge", {kSharedFrameBytesMax + 1}, false},
                      Walk{"AsManyBytes", {200, kSharedFrameBytesMax - 200}, true},
                      Walk{"OneByteMore", {200, kSharedFrameBytesMax - 199}, false},
                      Walk{"TooLargeDoesNotDropOthers", {200, kSharedFrameBytesMax + 1}, true}),
    [](const auto& walk) { return std::string(walk.param.name); });

TEST_F(WatchScopeTest, AScopeIsOfAReactorAndAPartOfTheStore) {
  net::Reactor other(RealWorld().clock);
  EXPECT_EQ(scopes_.Of(reactor_, "/registry/configmaps/"), scope_);
  EXPECT_NE(scopes_.Of(reactor_, "/registry/pods/"), scope_);
  EXPECT_NE(scopes_.Of(other, "/registry/configmaps/"), scope_);
}

TEST_F(WatchScopeTest, ThoseWithoutWatchesAreForgotten) {
  for (size_t i = 0; i < 10'000; ++i) scopes_.Of(reactor_, std::to_string(i));
  EXPECT_LE(scopes_.size(), 128U);
}

}  // namespace
}  // namespace dray::server::http
