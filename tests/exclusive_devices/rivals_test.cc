// SPDX-License-Identifier: Apache-2.0
// Two independent schedulers, a thousand pods, claims of one pod and of many, restarts and lost
// answers, all from a seed: no device is ever in two allocations, no claim exceeds the limit of
// consumers, and in the end every pod is bound or has a condition with the reason.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/claims/pod_claims.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "base/simulated_world.h"
#include "client/client.h"
#include "client/testing/memory_client.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"
#include "server/registry/device_holders.h"
#include "tests/exclusive_devices/double_bookings.h"
#include "tests/soak.h"

namespace dray::exclusive_devices {
namespace {

namespace core_v1 = api::core_v1;
using api::resource_v1::ResourceClaim;
using scheduler::Scheduler;
using scheduler::testing::Cluster;

constexpr size_t kConsumersMax = 256;  // of one claim, as the API has it
constexpr int kRivalPods = 1000;
constexpr int kRivalNodes = 12;
constexpr int kRivalDevices = 8;  // of a node

/// A server for writes of claims: it refuses devices that another claim has and too many consumers.
/// It may lose answers or carry out requests late. Keeps its own record of every claim's devices.
class RivalServer final : public client::Client {
 public:
  RivalServer(client::testing::MemoryClient& objects, SeededRandom& random)
      : objects_(objects), random_(random) {}

  Result<api::Object> Get(const client::ObjectRef& ref) override { return objects_.Get(ref); }
  Result<client::ObjectList> List(const api::KindInfo& kind,
                                  const client::ListOptions& options) override {
    return objects_.List(kind, options);
  }
  Result<api::Object> Create(const api::Object& object) override { return objects_.Create(object); }
  Result<api::Object> Update(const api::Object& object, std::string_view subresource) override {
    if (object.If<ResourceClaim>() == nullptr) return objects_.Update(object, subresource);
    if (Chance(6)) return Fail(StatusReason::kConflict, "fault");
    if (Chance(3)) return Fail(StatusReason::kTooManyRequests, "fault");
    if (Chance(3)) {
      late_.push_back({.object = object, .subresource = std::string(subresource)});
      return Fail(StatusReason::kTimeout, "the request is under way");
    }
    Result<api::Object> written = Store(object, subresource);
    if (Chance(5)) return Fail(StatusReason::kTimeout, "the answer is lost");
    return written;
  }
  Result<api::Object> Patch(const client::ObjectRef& ref,
                            client::PatchType type,
                            std::string_view json,
                            std::string_view subresource) override {
    return objects_.Patch(ref, type, json, subresource);
  }
  Result<> Delete(const client::ObjectRef& ref,
                  const api::meta_v1::DeleteOptions& options) override {
    return objects_.Delete(ref, options);
  }
  Result<> CreateSubresource(const client::ObjectRef& ref,
                             std::string_view subresource,
                             const api::Object& body) override {
    if (Chance(5)) return Fail(StatusReason::kTooManyRequests, "fault");
    Result<> done = objects_.CreateSubresource(ref, subresource, body);
    if (Chance(5)) return Fail(StatusReason::kTimeout, "the answer is lost");
    return done;
  }
  Result<std::unique_ptr<client::Watch>> StartWatch(const api::KindInfo& kind,
                                                    const client::ListOptions& options,
                                                    const std::string& resource_version,
                                                    client::WatchHandler handler) override {
    return objects_.StartWatch(kind, options, resource_version, std::move(handler));
  }

  /// Requests that are under way arrive.
  void CarryOutLate() {
    for (const Late& late : std::exchange(late_, {})) (void)Store(late.object, late.subresource);
  }
  /// A write that nothing happens to.
  Result<api::Object> Store(const api::Object& object, std::string_view subresource) {
    Result<api::Object> before = objects_.Get(client::RefOf(object));
    if (!before) return before;
    const auto& old = before->As<ResourceClaim>();
    const auto& next = object.As<ResourceClaim>();
    if (subresource == "status") {
      if (const auto verdict = holders_.Judge(old, next); !verdict.overlap.empty()) {
        ++refused_;
        return Fail(StatusReason::kConflict, verdict.overlap);
      }
      if (next.status.reserved_for.size() > kConsumersMax) {
        return Fail(StatusReason::kInvalid, "too many consumers");
      }
    }
    Result<api::Object> written = objects_.Update(object, subresource);
    if (!written) return written;
    holders_.SetClaim(&old, &written->As<ResourceClaim>());
    Note(written->As<ResourceClaim>());
    return written;
  }
  void set_faults(bool on) { faults_ = on; }
  int refused() const { return refused_; }

 private:
  struct Late {
    api::Object object;
    std::string subresource;
  };

  bool Chance(uint64_t percent) { return faults_ && random_.Next() % 100 < percent; }

  /// Checks with its own record: each device has one claim, and no claim has too many consumers.
  void Note(const ResourceClaim& claim) {
    std::set<std::string>& had = devices_of_[claim.metadata.name];
    for (const std::string& device : had) owners_.erase(device);
    had.clear();
    for (std::string& device : DevicesOf(claim)) {
      const auto [owner, is_free] = owners_.try_emplace(device, claim.metadata.name);
      EXPECT_TRUE(is_free) << device << " of " << claim.metadata.name << " is " << owner->second;
      had.insert(std::move(device));
    }
    EXPECT_LE(claim.status.reserved_for.size(), kConsumersMax) << claim.metadata.name;
  }

  client::testing::MemoryClient& objects_;
  SeededRandom& random_;
  server::registry::DeviceHolders holders_;
  std::map<std::string, std::string> owners_;                // by device
  std::map<std::string, std::set<std::string>> devices_of_;  // by claim
  std::deque<Late> late_;
  bool faults_ = true;
  int refused_ = 0;
};

class RivalsTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  static constexpr int kShared = 3;

  RivalsTest() {
    cluster_.AddClass();
    for (int i = 0; i < kRivalNodes; ++i)
      cluster_.AddNode(fmt::format("node-{}", i), kRivalDevices);
    for (int i = 0; i < kShared; ++i) cluster_.AddClaim(fmt::format("shared-{}", i));
    for (size_t i = 0; i < rivals_.size(); ++i) Start(i);
  }
  bool Chance(uint64_t percent) { return random_.Next() % 100 < percent; }

  /// Starts a scheduler with an empty cache.
  void Start(size_t rival) {
    rivals_[rival] = std::make_unique<Scheduler>(
        server_, cluster_.world.world(), Log::Silent(), cluster_.Options());
  }

  void AddPod() {
    const std::string pod = fmt::format("pod-{}", pods_made_++);
    std::string claim = fmt::format("shared-{}", random_.Next() % kShared);
    if (Chance(50)) {
      claim = "claim-of-" + pod;
      cluster_.AddClaim(claim, 1 + static_cast<int64_t>(random_.Next() % 2));
    }
    cluster_.AddPod(pod, {claim});
    alive_.push_back({.pod = pod, .claim = claim});
  }

  /// Deletes the pod; the claim controller then frees its devices.
  void DropPod(size_t index) {
    const Use use = std::exchange(alive_[index], alive_.back());
    alive_.pop_back();
    const std::string uid = cluster_.Pod(use.pod).metadata.uid;
    cluster_.DeletePod(use.pod);
    released_.push_back({.pod = uid, .claim = use.claim});
  }
  /// Frees devices as the claim controller does, which may be late too.
  void Release() {
    for (const Use& use : std::exchange(released_, {})) {
      const ResourceClaim claim = cluster_.Claim(use.claim);
      if (!api::claims::IsReservedFor(claim, use.pod)) continue;
      api::Object copy = api::Object::Of(claim).Clone();
      auto& status = copy.Mutable<ResourceClaim>().status;
      std::erase_if(status.reserved_for, [&](const auto& user) { return user.uid == use.pod; });
      if (status.reserved_for.empty()) status.allocation.reset();
      ASSERT_TRUE(server_.Store(copy, "status"));
    }
  }

  void Turn() {
    for (uint64_t i = random_.Next() % 6; i > 0 && pods_made_ < kRivalPods; --i) AddPod();
    if (Chance(20)) cluster_.client.HoldBackEvents();
    for (int i = 0; i < 6; ++i) rivals_[random_.Next() % rivals_.size()]->Step();
    for (uint64_t i = random_.Next() % 4; i > 0 && alive_.size() > 20; --i) {
      DropPod(random_.Next() % alive_.size());
    }
    if (Chance(70)) Release();
    cluster_.client.LetGo();
    if (Chance(30)) server_.CarryOutLate();
    if (Chance(3)) {
      server_.CarryOutLate();  // later requests are refused by its lease
      Start(random_.Next() % rivals_.size());
    }
    cluster_.world.clock().Advance(std::chrono::milliseconds(400));
  }

  void Settle() {
    server_.set_faults(false);
    server_.CarryOutLate();
    Release();
    for (int second = 0; second < 20; ++second) {
      for (int step = 0; step < 8; ++step) {
        for (const auto& rival : rivals_) rival->Step();
      }
      cluster_.world.clock().Advance(std::chrono::seconds(1));
    }
  }

  void CheckPods() {
    int bound = 0;
    for (const Use& use : alive_) {
      const core_v1::Pod pod = cluster_.Pod(use.pod);
      if (pod.spec.node_name.empty()) {
        EXPECT_TRUE(cluster_.Condition(use.pod).starts_with("False Unschedulable: 0/"))
            << use.pod << ": " << cluster_.Condition(use.pod);
        continue;
      }
      ++bound;
      const ResourceClaim claim = cluster_.Claim(use.claim);
      ASSERT_TRUE(api::claims::IsReservedFor(claim, pod.metadata.uid)) << use.pod;
      ASSERT_TRUE(claim.status.allocation) << use.pod;
      EXPECT_EQ(claim.status.allocation->devices.results[0].pool, pod.spec.node_name);
    }
    EXPECT_GT(bound, 20);
  }

  struct Use {
    std::string pod;
    std::string claim;
  };

  SeededRandom random_{GetParam()};
  Cluster cluster_{GetParam()};
  RivalServer server_{cluster_.client, random_};
  std::array<std::unique_ptr<Scheduler>, 2> rivals_;
  std::vector<Use> alive_;
  std::vector<Use> released_;  // by uids of pods that are gone
  int pods_made_ = 0;
};

TEST_P(RivalsTest, NoDeviceTwiceAndEveryPodBoundOrTold) {
  while (pods_made_ < kRivalPods && !HasFailure()) Turn();
  Settle();
  CheckPods();
  EXPECT_GT(server_.refused(), 0) << "they never got in each other's way";
}

INSTANTIATE_TEST_SUITE_P(Seeds, RivalsTest, ::testing::Range<uint64_t>(1, 1 + Instances(50)));

}  // namespace
}  // namespace dray::exclusive_devices
