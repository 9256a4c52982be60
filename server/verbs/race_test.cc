// SPDX-License-Identifier: Apache-2.0
// Writers that race: no update is lost, no name is given twice, no request retries without end.
#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"
#include "server/testing/hooked_store.h"
#include "server/verbs/write/modify.h"

namespace dray::server::verbs {
namespace {

class RaceTest : public testing::ServerTest {
 protected:
  static constexpr int kThreads = 4;
  static constexpr int kRounds = 50;

  template <class F>
  static void InParallel(F work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([&work, i] { work(i); });
    for (std::thread& thread : threads) thread.join();
  }

  Result<Answer> HandleNow(ResourceRequest request) {
    return Wait(resources_.Handle(std::move(request)));
  }
};

TEST_F(RaceTest, PatchesWithoutVersionAreAllApplied) {
  Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{}})");
  InParallel([&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      ResourceRequest request = Request(Verb::kPatch, "deviceclasses", "", "a");
      request.patch_type = patch::PatchType::kMerge;
      request.body = R"({"metadata":{"labels":{"t)" + std::to_string(thread) + "-" +
                     std::to_string(round) + R"(":"x"}}})";
      EXPECT_TRUE(HandleNow(std::move(request))->outcome.has_value());
    }
  });
  const Answer answer = Ask(Request(Verb::kGet, "deviceclasses", "", "a"));
  EXPECT_EQ(std::get<ObjectAnswer>(*answer.outcome).item.object.metadata().labels.size(),
            static_cast<size_t>(kThreads * kRounds));
}

TEST_F(RaceTest, OfUpdatesWithOneVersionOneWins) {
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = "r" + std::to_string(round);
    Post("deviceclasses", "", R"({"metadata":{"name":")" + name + R"("},"spec":{}})");
    const std::string version = VersionOf("deviceclasses", "", name);
    std::vector<int> won(kThreads);
    InParallel([&](int thread) {
      ResourceRequest request = Request(Verb::kUpdate, "deviceclasses", "", name);
      request.body = fmt::format(
          R"({{"metadata":{{"name":"{}","resourceVersion":"{}","labels":{{"winner":"{}"}}}},"spec":{{}}}})",
          name,
          version,
          thread);
      const Result<Answer> answer = HandleNow(std::move(request));
      won[static_cast<size_t>(thread)] = answer->outcome.has_value() ? 1 : 0;
    });
    EXPECT_EQ(std::count(won.begin(), won.end(), 1), 1);
  }
}

TEST_F(RaceTest, OneNameIsCreatedOnce) {
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = "r" + std::to_string(round);
    std::vector<int> won(kThreads);
    InParallel([&](int thread) {
      ResourceRequest request = Request(Verb::kCreate, "deviceclasses", "", "");
      request.body = R"({"metadata":{"name":")" + name + R"("},"spec":{}})";
      won[static_cast<size_t>(thread)] = HandleNow(std::move(request))->outcome.has_value() ? 1 : 0;
    });
    EXPECT_EQ(std::count(won.begin(), won.end(), 1), 1);
  }
}

/// Another client writes the object between a request's read and its write, a given number of
/// times.
class BusyObject : public ::testing::Test {
 protected:
  BusyObject() { EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value()); }

  static constexpr std::string_view kKey = "/registry/deviceclasses/a";

  ResourceRequest Request(Verb verb, std::string body) const {
    ResourceRequest request{.verb = verb,
                            .kind = scheme_.FindResource("resource.k8s.io", "v1", "deviceclasses")};
    if (verb != Verb::kCreate) request.name = "a";
    request.body = std::move(body);
    return request;
  }
  ResourceRequest PodRequest(Verb verb, std::string body) const {
    ResourceRequest request = Request(verb, std::move(body));
    request.kind = scheme_.FindResource("", "v1", "pods");
    request.namespace_ = "default";
    return request;
  }
  Result<> Ask(ResourceRequest request) {
    const Result<Answer> answer = Wait(resources_.Handle(std::move(request)));
    if (!answer->outcome.has_value()) return Fail(answer->outcome.error());
    return {};
  }
  /// The stored bytes after `body` was created.
  std::string StoredAs(std::string body) {
    EXPECT_TRUE(Ask(Request(Verb::kCreate, std::move(body))).has_value());
    return std::string(store_.Read()->Get(kKey)->value->bytes());
  }
  void Put(Frozen<store::Value> value) {
    store::Txn txn;
    txn.operations.emplace_back(store::Put{.key = std::string(kKey), .value = std::move(value)});
    EXPECT_TRUE(store_.CommitAndWait(std::move(txn)).has_value());
  }
  void BeatNext(int times) {
    if (times == 0) return;
    store_.AfterNextRead([this, times] {
      Put(store_.Read()->Get(kKey)->value);
      BeatNext(times - 1);
    });
  }

  SimulatedWorld world_{7};
  api::Scheme scheme_;
  testing::HookedStore store_;
  Resources resources_{scheme_, store_, world_.world(), Log::Silent(), {}};
};

TEST_F(BusyObject, IsTriedSoManyTimes) {
  const std::string body = R"({"metadata":{"name":"a"},"spec":{}})";
  const std::string changed = R"({"metadata":{"name":"a","labels":{"x":"y"}},"spec":{}})";
  ResourceRequest patch = Request(Verb::kPatch, changed);
  patch.patch_type = patch::PatchType::kMerge;
  ResourceRequest apply =
      Request(Verb::kPatch,
              R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1",)" + changed.substr(1));
  apply.patch_type = patch::PatchType::kApply;
  apply.write.field_manager = "me";
  apply.write.force = true;
  ResourceRequest unsafe = Request(Verb::kDelete, "");
  unsafe.delete_options.ignore_store_read_error_with_cluster_breaking_potential = true;
  struct Case {
    const char* name;
    ResourceRequest request;
    std::string stored;
  };
  const std::string whole = StoredAs(body);
  const Case cases[] = {
      {"patch", patch, whole},
      {"update", Request(Verb::kUpdate, changed), whole},
      {"apply", apply, whole},
      {"delete", Request(Verb::kDelete, ""), whole},
      {"delete unread", unsafe, "{"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    Put(store::MakeBytes(each.stored));
    BeatNext(kModifyTriesMax);
    const Result<> beaten = Ask(each.request);
    ASSERT_FALSE(beaten.has_value());
    EXPECT_EQ(beaten.error().reason, StatusReason::kConflict) << beaten.error().message;
    BeatNext(kModifyTriesMax - 1);
    const Result<> written = Ask(each.request);
    EXPECT_TRUE(written.has_value()) << written.error().message;
  }
}

// A pod that is deleted without grace is marked, then removed. The kubelet may remove it first.
TEST_F(BusyObject, ADeletionThatAnotherCompletesHasSucceeded) {
  const auto create = [&] {
    ASSERT_TRUE(
        Ask(PodRequest(
                Verb::kCreate,
                R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}})"))
            .has_value());
  };
  const std::string key = "/registry/pods/default/a";
  const auto take_away = [&] {
    store::Txn txn;
    txn.operations.emplace_back(store::Delete{.key = key});
    EXPECT_TRUE(store_.CommitAndWait(std::move(txn)).has_value());
  };
  create();
  int syncs = 0;
  store_.OnSync([&] {
    if (++syncs == 2) take_away();  // the pod is marked by then
  });
  EXPECT_TRUE(Ask(PodRequest(Verb::kDelete, "")).has_value());
  EXPECT_EQ(syncs, 2);

  // A new pod of that name stays.
  store_.OnSync(nullptr);
  create();
  syncs = 0;
  store_.OnSync([&] {
    if (++syncs != 2) return;
    store_.OnSync(nullptr);
    take_away();
    create();
  });
  EXPECT_TRUE(Ask(PodRequest(Verb::kDelete, "")).has_value());
  EXPECT_NE(store_.Read()->Get(key), nullptr);
}

}  // namespace
}  // namespace dray::server::verbs
