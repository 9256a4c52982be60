// SPDX-License-Identifier: Apache-2.0
// Writers that race: no update is lost, no name is given twice.
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

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

}  // namespace
}  // namespace dray::server::verbs
