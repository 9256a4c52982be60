// SPDX-License-Identifier: Apache-2.0
// No write allocates a device to two claims, through any verb.
#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/resource_v1/claim.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kRefusal =
    "409 Conflict: Operation cannot be fulfilled on resourceclaims.resource.k8s.io \"b\": device "
    "d.example.com/p/x is already allocated to ResourceClaim default/a";

std::string Allocation(std::string_view device) {
  return R"({"devices":{"results":[{"request":"r","driver":"d.example.com","pool":"p","device":")" +
         std::string(device) + R"("}]}})";
}

class ExclusiveDevices : public testing::ServerTest {
 protected:
  explicit ExclusiveDevices(const Options& options = {}) : ServerTest(options) {
    for (const std::string_view name : {"a", "b"}) Make(name);
  }

  void Make(std::string_view name) {
    EXPECT_THAT(Post("resourceclaims",
                     "default",
                     R"({"metadata":{"name":")" + std::string(name) +
                         R"("},"spec":{"devices":{"requests":[{"name":"r",
                            "exactly":{"deviceClassName":"c"}}]}}})"),
                StartsWith("201"));
  }

  ResourceRequest StatusPatch(std::string_view name,
                              std::string_view allocation,
                              std::string_view resource = "resourceclaims") const {
    ResourceRequest request = Request(Verb::kPatch, resource, "default", name);
    request.subresource = "status";
    request.patch_type = patch::PatchType::kMerge;
    request.body = R"({"status":{"allocation":)" + std::string(allocation) + "}}";
    return request;
  }
  std::string Allocate(std::string_view name, std::string_view device) {
    return Do(StatusPatch(name, Allocation(device)));
  }
};

TEST_F(ExclusiveDevices, ADeviceIsRefusedToTheSecondAndFreeAfterTheFirst) {
  EXPECT_THAT(Allocate("a", "x"), StartsWith("200"));
  EXPECT_EQ(Allocate("b", "x"), kRefusal);
  EXPECT_THAT(Allocate("b", "y"), StartsWith("200"));
  EXPECT_THAT(Do(StatusPatch("b", "null")), StartsWith("200"));
  EXPECT_THAT(Do(StatusPatch("a", "null")), StartsWith("200"));
  EXPECT_THAT(Allocate("b", "x"), StartsWith("200"));
  EXPECT_THAT(Allocate("a", "x"), HasSubstr("already allocated to ResourceClaim default/b"));
  EXPECT_THAT(Delete("resourceclaims", "default", "b"), StartsWith("200"));
  EXPECT_THAT(Allocate("a", "x"), StartsWith("200"));
}

// The bytes of the damaged claim still name its device.
TEST_F(ExclusiveDevices, WhatAClaimMayHaveThatCannotBeReadIsRefused) {
  constexpr std::string_view kKey = "/registry/resourceclaims/default/damaged";
  store::Txn txn;
  txn.operations.emplace_back(
      store::Put{.key = std::string(kKey),
                 .value = store::MakeBytes(R"({"apiVersion":"resource.k8s.io/v1","kind":)"
                                           R"("ResourceClaim","status":{"allocation":)" +
                                           Allocation("gpu-17"))});
  ASSERT_TRUE(store_.CommitAndWait(std::move(txn)).has_value());
  EXPECT_THAT(Allocate("a", "gpu-17"),
              HasSubstr("device d.example.com/p/gpu-17 may be allocated to the ResourceClaim at " +
                        std::string(kKey) + ", which cannot be read: delete it"));
  EXPECT_THAT(Allocate("a", "gpu-18"), StartsWith("200"));
  EXPECT_THAT(Do(StatusPatch("a", "null")), StartsWith("200"));

  ResourceRequest unsafe = Request(Verb::kDelete, "resourceclaims", "default", "damaged");
  unsafe.delete_options.ignore_store_read_error_with_cluster_breaking_potential = true;
  EXPECT_THAT(Do(std::move(unsafe)), StartsWith("200"));
  EXPECT_THAT(Allocate("a", "gpu-17"), StartsWith("200"));
}

TEST_F(ExclusiveDevices, WhicheverWayItIsWritten) {
  EXPECT_THAT(Allocate("a", "x"), StartsWith("200"));
  for (const std::string_view version : {"v1", "v1beta2", "v1beta1"}) {
    const std::string resource = std::string(version) + "/resourceclaims";
    EXPECT_EQ(Do(StatusPatch("b", Allocation("x"), resource)), kRefusal);
    ResourceRequest dry_run = StatusPatch("b", Allocation("x"), resource);
    dry_run.write.dry_run = true;
    EXPECT_EQ(Do(std::move(dry_run)), kRefusal);
  }
  ResourceRequest json_patch = StatusPatch("b", "");
  json_patch.patch_type = patch::PatchType::kJson;
  json_patch.body =
      R"([{"op":"add","path":"/status","value":{"allocation":)" + Allocation("x") + "}}]";
  EXPECT_EQ(Do(std::move(json_patch)), kRefusal);
  ResourceRequest strategic = StatusPatch("b", Allocation("x"));
  strategic.patch_type = patch::PatchType::kStrategicMerge;
  EXPECT_EQ(Do(std::move(strategic)), kRefusal);
  // A body that is an object, as in-process components send it.
  const Answer answer = Ask(Request(Verb::kGet, "resourceclaims", "default", "a"));
  const api::Object a = std::get<ObjectAnswer>(*answer.outcome).item.object;
  const Answer other = Ask(Request(Verb::kGet, "resourceclaims", "default", "b"));
  api::Object b = std::get<ObjectAnswer>(*other.outcome).item.object.Clone();
  b.Mutable<api::resource_v1::ResourceClaim>().status =
      a.As<api::resource_v1::ResourceClaim>().status;
  ResourceRequest update = Request(Verb::kUpdate, "resourceclaims", "default", "b");
  update.subresource = "status";
  update.body = b;
  EXPECT_EQ(Do(std::move(update)), kRefusal);
  // Writes outside the subresource ignore the status, and so do creates.
  ResourceRequest plain = Request(Verb::kUpdate, "resourceclaims", "default", "b");
  plain.body = b;
  EXPECT_THAT(Do(std::move(plain)), Not(HasSubstr("d.example.com")));
  EXPECT_THAT(Post("resourceclaims",
                   "default",
                   R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r",
                       "exactly":{"deviceClassName":"c"}}]}},"status":{"allocation":)" +
                       Allocation("x") + "}}"),
              Not(HasSubstr("d.example.com")));
}

TEST_F(ExclusiveDevices, OtherWritesToAHolderAreNotJudgedAgain) {
  Allocate("a", "x");
  ResourceRequest reserve = StatusPatch("a", "");
  reserve.body = R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"1"}]}})";
  EXPECT_THAT(Do(std::move(reserve)), StartsWith("200"));
  EXPECT_THAT(Do(StatusPatch("a", Allocation("x"))), StartsWith("200"));
}

TEST_F(ExclusiveDevices, AServerThatComesLaterKnowsWhatIsThere) {
  Allocate("a", "x");
  Resources later(scheme_, store_, world_.world(), Log::Silent(), Options{});
  const Result<Answer> answer = Wait(later.Handle(StatusPatch("b", Allocation("x"))));
  EXPECT_EQ(answer->outcome.error().reason, StatusReason::kConflict);
}

TEST_F(ExclusiveDevices, WhatWasForgottenIsReadAgain) {
  EXPECT_THAT(Allocate("b", "y"), StartsWith("200"));
  Resources other(scheme_, store_, world_.world(), Log::Silent(), Options{});
  EXPECT_TRUE(Wait(other.Handle(StatusPatch("a", Allocation("x"))))->outcome.has_value());
  EXPECT_THAT(Do(StatusPatch("b", "null")), StartsWith("200"));
  ASSERT_TRUE(store_.Compact(store_.Read()->revision()).has_value());
  EXPECT_EQ(Allocate("b", "x"), kRefusal);
}

class OverlappingAllocations : public ExclusiveDevices {
 protected:
  OverlappingAllocations() : ExclusiveDevices({.exclusive_devices = false}) {}
};

TEST_F(OverlappingAllocations, AreTakenWhenAskedForAsUpstreamDoes) {
  EXPECT_THAT(Allocate("a", "x"), StartsWith("200"));
  EXPECT_THAT(Allocate("b", "x"), StartsWith("200"));
}

// Each thread has a server of its own over the one store.
TEST_F(ExclusiveDevices, OfWritersThatRaceOneGetsTheDevice) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 50;
  std::vector<std::unique_ptr<Resources>> servers;
  for (int i = 0; i < kThreads; ++i) {
    Make("t" + std::to_string(i));
    servers.push_back(
        std::make_unique<Resources>(scheme_, store_, world_.world(), Log::Silent(), Options{}));
  }
  for (int round = 0; round < kRounds; ++round) {
    std::vector<int> won(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        Resources& server = *servers[static_cast<size_t>(i)];
        const Result<Answer> answer =
            Wait(server.Handle(StatusPatch("t" + std::to_string(i), Allocation("x"))));
        won[static_cast<size_t>(i)] = answer->outcome.has_value() ? 1 : 0;
        if (won[static_cast<size_t>(i)] == 1) return;
        EXPECT_EQ(answer->outcome.error().reason, StatusReason::kConflict);
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(std::count(won.begin(), won.end(), 1), 1);
    for (int i = 0; i < kThreads; ++i) Do(StatusPatch("t" + std::to_string(i), "null"));
  }
}

}  // namespace
}  // namespace dray::server::verbs
