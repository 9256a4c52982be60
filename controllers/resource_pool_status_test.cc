// SPDX-License-Identifier: Apache-2.0
#include "controllers/resource_pool_status.h"

#include <string>

#include <gtest/gtest.h>

#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha3.h"
#include "base/simulated_world.h"
#include "client/testing/memory_client.h"

namespace dray::controllers {
namespace {

namespace resource_v1 = api::resource_v1;
using client::testing::MemoryClient;
using Request = api::resource_v1alpha3::ResourcePoolStatusRequest;

class ResourcePoolStatusTest : public ::testing::Test {
 protected:
  void AddSlice(const std::string& name, int64_t of) {
    resource_v1::ResourceSlice slice;
    slice.metadata.name = name;
    slice.spec.driver = "d";
    slice.spec.pool = {.name = "p", .generation = 1, .resource_slice_count = of};
    slice.spec.devices.push_back({.name = "gpu"});
    ASSERT_TRUE(client_.Create(api::Object::Of(std::move(slice))).has_value());
  }
  void AddRequest() {
    Request request;
    request.metadata.name = "ask";
    request.spec.driver = "d";
    ASSERT_TRUE(client_.Create(api::Object::Of(std::move(request))).has_value());
  }
  void Run(std::chrono::minutes duration = std::chrono::minutes(0)) {
    for (auto at = std::chrono::minutes(0); at <= duration; ++at) {
      for (int i = 0; i < 4; ++i) controller_.Step();
      world_.clock().Advance(at < duration ? std::chrono::seconds(60) : std::chrono::seconds(0));
    }
  }
  /// "none", "unanswered", "answered", or why a pool was not counted.
  std::string Answer() {
    const auto found = client_.Get({&api::Reflected<Request>::kKind, "", "ask"});
    if (!found) return "none";
    const auto& status = found->As<Request>().status;
    if (!status.has_value()) return "unanswered";
    if (status->pools.empty()) return "answered";
    return status->pools[0].validation_error.value_or("answered").substr(0, 14);
  }

  SimulatedWorld world_{1};
  MemoryClient client_;
  Wakeup wakeup_;
  client::SharedInformers informers_{client_, world_.world().clock, wakeup_, Log::Silent()};
  ResourcePoolStatus controller_{
      client_, world_.world(), informers_, Log::Silent(), api::Release::kNewest};
};

TEST_F(ResourcePoolStatusTest, AnswersOnce) {
  AddSlice("one", 1);
  AddRequest();
  Run();
  EXPECT_EQ(Answer(), "answered");
  const size_t writes = client_.journal().size();
  AddSlice("two", 1);
  Run(std::chrono::minutes(2));
  EXPECT_EQ(client_.journal().size(), writes + 1) << "only the slice";
}

TEST_F(ResourcePoolStatusTest, WaitsForMissingSlicesButNotForEver) {
  AddSlice("one", 2);
  AddRequest();
  Run();
  EXPECT_EQ(Answer(), "unanswered");
  AddSlice("two", 2);
  Run(std::chrono::minutes(1));
  EXPECT_EQ(Answer(), "answered");
}

TEST_F(ResourcePoolStatusTest, AfterTheLastTrySaysWhatIsMissing) {
  AddSlice("one", 2);
  AddRequest();
  for (size_t tries = 0; tries < ResourcePoolStatus::kTriesMax; ++tries) {
    Run();
    EXPECT_EQ(Answer(), "unanswered") << tries;
    world_.clock().Advance(std::chrono::seconds(1));
  }
  Run();
  EXPECT_EQ(Answer(), "PoolIncomplete");
}

TEST_F(ResourcePoolStatusTest, AnswersAreSweptAwayAfterAnHour) {
  AddSlice("one", 1);
  AddRequest();
  Run(std::chrono::minutes(59));
  EXPECT_EQ(Answer(), "answered");
  Run(std::chrono::minutes(12));
  EXPECT_EQ(Answer(), "none");
}

TEST_F(ResourcePoolStatusTest, UnansweredOnesStayForADay) {
  AddSlice("one", 1);
  client_.set_fault(
      [](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view) -> Result<> {
        if (verb != MemoryClient::Verb::kUpdate) return {};
        return Fail(StatusReason::kServiceUnavailable, "down");
      });
  AddRequest();
  const auto made = client_.Get({&api::Reflected<Request>::kKind, "", "ask"});
  world_.clock().Advance(std::chrono::seconds(made->metadata().creation_timestamp.unix_seconds()) -
                         world_.world().clock.Now().time_since_epoch());
  Run(std::chrono::hours(24) - std::chrono::minutes(1));
  EXPECT_EQ(Answer(), "unanswered");
  Run(std::chrono::minutes(12));
  EXPECT_EQ(Answer(), "none");
}

}  // namespace
}  // namespace dray::controllers
