// SPDX-License-Identifier: Apache-2.0
#include "client/informer.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "base/simulated_world.h"
#include "client/read_modify_write.h"
#include "client/testing/memory_client.h"

namespace dray::client {
namespace {

using api::core_v1::Pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const api::KindInfo& kWatchedPods = api::Reflected<Pod>::kKind;

api::Object MakePod(const std::string& name, const std::string& node = {}) {
  Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = name;
  pod.spec.node_name = node;
  return api::Object::Of(std::move(pod));
}

class InformerTest : public ::testing::Test {
 protected:
  InformerTest() { Follow(informer_); }

  void Follow(Informer& informer) {
    informer.OnChange([this](const api::Object* before, const api::Object* after) {
      const api::Object* const shown = after != nullptr ? after : before;
      ASSERT_NE(shown, nullptr);
      const char* const what = before == nullptr ? "+" : after == nullptr ? "-" : "~";
      seen_.push_back(what + shown->metadata().name);
    });
  }
  std::vector<std::string> TakeSeen() { return std::exchange(seen_, {}); }
  ObjectRef Ref(const std::string& name) {
    return {.kind = &kWatchedPods, .namespace_ = "lab", .name = name};
  }
  void SetNode(const std::string& name, const std::string& node) {
    api::Object pod = client_.Get(Ref(name))->Clone();
    pod.Mutable<Pod>().spec.node_name = node;
    ASSERT_TRUE(client_.Update(pod, {}).has_value());
  }

  SimulatedWorld world_{1};
  testing::MemoryClient client_;
  Wakeup wakeup_;
  std::vector<std::string> seen_;
  std::string said_;
  Informer informer_{client_,
                     kWatchedPods,
                     world_.clock(),
                     wakeup_,
                     Log(world_.clock(), [this](std::string_view line) { said_ += line; }, {}),
                     {.pending_batches_max = 4}};
};

TEST_F(InformerTest, ListsThenFollows) {
  ASSERT_TRUE(client_.Create(MakePod("a")).has_value());
  EXPECT_FALSE(informer_.synced());
  EXPECT_EQ(informer_.Step(), std::nullopt);
  EXPECT_TRUE(informer_.synced());
  ASSERT_TRUE(client_.Create(MakePod("b")).has_value());
  SetNode("a", "n");
  ASSERT_TRUE(client_.Delete(Ref("b"), {}).has_value());
  informer_.Step();
  EXPECT_THAT(TakeSeen(), ElementsAre("+a", "+b", "~a", "-b"));
  EXPECT_THAT(informer_.objects(), SizeIs(1));
}

TEST_F(InformerTest, KeepsObjectsInOrderHoweverTheyComeAndGo) {
  std::set<std::string> names;
  uint64_t random = 1;
  for (int turn = 0; turn < 300; ++turn) {
    random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    const std::string name = fmt::format("pod-{:02}", (random >> 33U) % 40);
    if (names.contains(name)) {
      ASSERT_TRUE(client_.Delete(Ref(name), {.grace_period_seconds = 0}).has_value());
      names.erase(name);
    } else {
      ASSERT_TRUE(client_.Create(MakePod(name)).has_value());
      names.insert(name);
    }
    informer_.Step();
    std::vector<std::string> mirrored;
    for (const auto& [key, pod] : informer_.objects()) mirrored.push_back(pod.metadata().name);
    ASSERT_THAT(mirrored, ::testing::ElementsAreArray(names)) << "turn " << turn;
  }
}

TEST_F(InformerTest, IndexFollowsChangesAndForgetsEmptyValues) {
  const size_t by_node =
      informer_.AddIndex([](const api::Object& pod, std::vector<std::string>& values) {
        values.push_back(pod.As<Pod>().spec.node_name);
      });
  ASSERT_TRUE(client_.Create(MakePod("a", "n1")).has_value());
  informer_.Step();
  EXPECT_THAT(informer_.Indexed(by_node, "n1"), ElementsAre("lab/a"));
  SetNode("a", "n2");
  informer_.Step();
  EXPECT_THAT(informer_.Indexed(by_node, "n1"), ElementsAre());
  EXPECT_THAT(informer_.Indexed(by_node, "n2"), ElementsAre("lab/a"));
}

TEST_F(InformerTest, ListsAgainWhenTheServerForgot) {
  ASSERT_TRUE(client_.Create(MakePod("a")).has_value());
  informer_.Step();
  client_.HoldBackEvents();
  ASSERT_TRUE(client_.Delete(Ref("a"), {.grace_period_seconds = 0}).has_value());
  ASSERT_TRUE(client_.Create(MakePod("b")).has_value());
  client_.ForgetHistory();
  client_.EndWatches({.reason = StatusReason::kExpired, .message = "too old"});
  client_.LetGo();
  informer_.Step();
  EXPECT_THAT(TakeSeen(), ElementsAre("+a", "-a", "+b"));
  EXPECT_THAT(said_, ::testing::HasSubstr("listing again"));
}

TEST_F(InformerTest, ObjectReplacedUnderTheSameNameIsDeletedThenAdded) {
  ASSERT_TRUE(client_.Create(MakePod("a")).has_value());
  informer_.Step();
  client_.HoldBackEvents();
  ASSERT_TRUE(client_.Delete(Ref("a"), {}).has_value());
  ASSERT_TRUE(client_.Create(MakePod("a")).has_value());
  client_.EndWatches({.reason = StatusReason::kExpired, .message = "too old"});
  client_.LetGo();
  informer_.Step();
  EXPECT_THAT(TakeSeen(), ElementsAre("+a", "-a", "+a"));
}

TEST_F(InformerTest, RetriesAfterAFailureAndNotBefore) {
  int lists = 0;
  client_.set_fault(
      [&](testing::MemoryClient::Verb verb, const ObjectRef&, std::string_view) -> Result<> {
        if (verb != testing::MemoryClient::Verb::kList || ++lists > 1) return {};
        return Fail(StatusReason::kServiceUnavailable, "not yet");
      });
  const auto retry = informer_.Step();
  ASSERT_TRUE(retry.has_value());
  EXPECT_GT(*retry, world_.clock().Monotonic());
  EXPECT_EQ(informer_.Step(), retry);
  EXPECT_EQ(lists, 1);
  world_.clock().Advance(std::chrono::seconds(1));
  EXPECT_EQ(informer_.Step(), std::nullopt);
  EXPECT_TRUE(informer_.synced());
}

TEST_F(InformerTest, FullMailboxMeansListingAgain) {
  informer_.Step();
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(client_.Create(MakePod(fmt::format("p{}", i))).has_value());
  informer_.Step();
  EXPECT_THAT(TakeSeen(), SizeIs(4));
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(client_.Create(MakePod(fmt::format("q{}", i))).has_value());
  informer_.Step();
  EXPECT_THAT(TakeSeen(), SizeIs(5));
  EXPECT_THAT(informer_.objects(), SizeIs(9));
}

TEST_F(InformerTest, OwnWriteShowsBeforeTheWatchAndOnce) {
  informer_.Step();
  client_.HoldBackEvents();
  const auto created = client_.Create(MakePod("a"));
  informer_.Assume(*created);
  EXPECT_THAT(TakeSeen(), ElementsAre("+a"));
  client_.LetGo();
  informer_.Step();
  EXPECT_THAT(TakeSeen(), IsEmpty());
}

TEST_F(InformerTest, OwnWriteThatIsGoneAlreadyDoesNotComeBack) {
  informer_.Step();
  const auto created = client_.Create(MakePod("a"));
  ASSERT_TRUE(client_.Delete(Ref("a"), {}).has_value());
  informer_.Step();
  informer_.Assume(*created);
  EXPECT_EQ(informer_.Find("lab/a"), nullptr);
}

TEST_F(InformerTest, OlderEventDoesNotHideOwnWrite) {
  ASSERT_TRUE(client_.Create(MakePod("a")).has_value());
  informer_.Step();
  client_.HoldBackEvents();
  SetNode("a", "n1");
  SetNode("a", "n2");
  informer_.Assume(*client_.Get(Ref("a")));
  client_.LetGo();
  informer_.Step();
  EXPECT_EQ(informer_.Find("lab/a")->As<Pod>().spec.node_name, "n2");
  EXPECT_THAT(TakeSeen(), ElementsAre("+a", "~a"));
}

}  // namespace
}  // namespace dray::client
