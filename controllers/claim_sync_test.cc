// SPDX-License-Identifier: Apache-2.0
#include "controllers/claim_sync.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/claims/pod_claims.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim_template.h"
#include "controllers/claim_generation.h"

namespace dray::controllers {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
namespace resource_v1alpha2 = api::resource_v1alpha2;
using resource_v1::ResourceClaim;

const api::Time kThen = api::Time::FromUnixSeconds(1);

template <class Status>
std::string RenderStatus(const Status& status) {
  std::string text = status.allocation ? "write(allocated" : "write(free";
  if (status.deallocation_requested) text += " asked-back";
  for (const auto& consumer : status.reserved_for) text += " " + consumer.uid;
  return text + ") ";
}

std::string Render(const std::vector<ClaimAction>& actions) {
  std::string text;
  for (const ClaimAction& action : actions) {
    const auto* write = std::get_if<WriteStatus>(&action);
    const auto* classic = std::get_if<WriteClassicStatus>(&action);
    if (write != nullptr) {
      text += RenderStatus(write->status);
    } else if (classic != nullptr) {
      text += RenderStatus(classic->status);
    } else {
      text += std::holds_alternative<RemoveFinalizer>(action) ? "unprotect " : "delete ";
    }
  }
  return text;
}

struct ClaimCase {
  const char* name;
  std::vector<std::string> reserved_for, alive;
  bool allocated, finalizer, deleting;
  Owner owner;
  const char* want;
};

class ReconcileTest : public ::testing::TestWithParam<ClaimCase> {};

TEST_P(ReconcileTest, Does) {
  const ClaimCase& test = GetParam();
  ResourceClaim claim;
  for (const std::string& uid : test.reserved_for) {
    claim.status.reserved_for.push_back({.resource = "pods", .uid = uid});
  }
  if (test.allocated) claim.status.allocation.emplace();
  if (test.finalizer) claim.metadata.finalizers = {api::claims::kFinalizer};
  if (test.deleting) claim.metadata.deletion_timestamp = kThen;
  EXPECT_EQ(Render(Reconcile(claim, {test.alive.begin(), test.alive.end()}, test.owner)),
            test.want);
}

INSTANTIATE_TEST_SUITE_P(
    Claims,
    ReconcileTest,
    ::testing::Values(
        ClaimCase{"InUse", {"a"}, {"a"}, true, true, false, Owner::kNone, ""},
        ClaimCase{"OneOfTwoLeaves",
                  {"a", "b"},
                  {"b"},
                  true,
                  true,
                  false,
                  Owner::kNone,
                  "write(allocated b) "},
        ClaimCase{
            "LastLeaves", {"a"}, {}, true, true, false, Owner::kNone, "write(free) unprotect "},
        ClaimCase{"LastLeavesSomebodyElsesAllocation",
                  {"a"},
                  {},
                  true,
                  false,
                  false,
                  Owner::kNone,
                  "write(allocated) "},
        ClaimCase{"UnusedAllocationStays", {}, {}, true, true, false, Owner::kNone, ""},
        ClaimCase{
            "UnusedAndDeleted", {}, {}, true, true, true, Owner::kNone, "write(free) unprotect "},
        ClaimCase{"FinalizerOnly", {}, {}, false, true, true, Owner::kNone, "unprotect "},
        ClaimCase{"DeletedInUse", {"a"}, {"a"}, true, true, true, Owner::kNone, ""},
        ClaimCase{"OwnerDone",
                  {"a"},
                  {},
                  true,
                  true,
                  false,
                  Owner::kDone,
                  "write(free) unprotect delete "},
        ClaimCase{"OwnerGoneOthersUseIt", {"b"}, {"b"}, true, true, false, Owner::kGone, ""},
        ClaimCase{"OwnerGoneNeverAllocated", {}, {}, false, false, false, Owner::kGone, "delete "},
        ClaimCase{"OwnerGoneDeletedAlready", {}, {}, false, false, true, Owner::kGone, ""},
        ClaimCase{"OwnerNeedsIt", {}, {}, false, false, false, Owner::kNeedsIt, ""}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(Reconcile, KeepsConsumersItDoesNotKnow) {
  ResourceClaim claim;
  claim.status.reserved_for = {{.api_group = "acme.example", .resource = "jobs", .uid = "x"}};
  EXPECT_EQ(Render(Reconcile(claim, {}, Owner::kNone)), "");
}

TEST(IsDone, FinishedOrDeletedBeforeScheduling) {
  core_v1::Pod pod;
  EXPECT_FALSE(IsDone(pod));
  pod.metadata.deletion_timestamp = kThen;
  EXPECT_TRUE(IsDone(pod));
  pod.spec.node_name = "n";
  EXPECT_FALSE(IsDone(pod));
  pod.status.phase = "Succeeded";
  EXPECT_TRUE(IsDone(pod));
}

// Recorded with Kubernetes 1.30, 1.31 and 1.37.
TEST(ClaimNamePrefix, IsShortenedOnBothSides) {
  EXPECT_EQ(ClaimNamePrefix("worker", "gpu"), "worker-gpu-");
  const std::string pod(63, 'p');
  const std::string entry(63, 'e');
  EXPECT_EQ(ClaimNamePrefix(pod, entry), std::string(28, 'p') + "-" + std::string(28, 'e'));
  EXPECT_EQ(ClaimNamePrefix(std::string(100, 'p'), "gpu"), std::string(54, 'p') + "-g");
  EXPECT_EQ(ClaimNamePrefix(std::string(52, 'p'), "gpu"), std::string(52, 'p') + "-gpu-");
}

TEST(ReconcileMarked, AsksTheDriverBack) {
  ResourceClaim claim;
  claim.status.allocation.emplace().controller = "acme.example";
  claim.status.reserved_for.push_back({.resource = "pods", .uid = "p"});
  EXPECT_EQ(Render(Reconcile(claim, {}, Owner::kNone)), "write(allocated asked-back) ");
  EXPECT_EQ(Render(Reconcile(claim, {"p"}, Owner::kNone)), "");
  claim.status.reserved_for.clear();  // an allocation that no pod used stays
  EXPECT_EQ(Render(Reconcile(claim, {}, Owner::kNone)), "");
  claim.metadata.deletion_timestamp = kThen;  // the driver sees that itself
  EXPECT_EQ(Render(Reconcile(claim, {}, Owner::kNone)), "");
}

struct ClassicCase {
  const char* name;
  bool immediate, by_scheduler, deleting, used;
  const char* want;
};

class ReconcileClassicTest : public ::testing::TestWithParam<ClassicCase> {};

TEST_P(ReconcileClassicTest, Does) {
  const ClassicCase& test = GetParam();
  resource_v1alpha2::ResourceClaim claim;
  claim.spec.allocation_mode = test.immediate ? "Immediate" : "WaitForFirstConsumer";
  claim.status.allocation.emplace();
  if (test.by_scheduler) claim.metadata.finalizers = {api::claims::kClassicFinalizer};
  if (test.deleting) claim.metadata.deletion_timestamp = kThen;
  if (test.used) claim.status.reserved_for.push_back({.resource = "pods", .uid = "gone"});
  EXPECT_EQ(Render(Reconcile(claim, {}, Owner::kNone)), test.want);
}

INSTANTIATE_TEST_SUITE_P(
    LastConsumerGone,
    ReconcileClassicTest,
    ::testing::Values(
        ClassicCase{"Delayed", false, false, false, true, "write(allocated asked-back) "},
        ClassicCase{"DelayedUnused", false, false, false, false, ""},
        ClassicCase{"DelayedUnusedDeleted", false, false, true, false, ""},
        ClassicCase{"Immediate", true, false, false, true, "write(allocated) "},
        ClassicCase{"ImmediateDeleted", true, false, true, true, "write(allocated) "},
        ClassicCase{"Structured", false, true, false, true, "write(free) unprotect "},
        ClassicCase{"StructuredUnused", false, true, false, false, ""},
        ClassicCase{"StructuredImmediate", true, true, false, true, "write(allocated) "},
        ClassicCase{"StructuredDeleted", true, true, true, false, "write(free) unprotect "}),
    [](const auto& test) { return test.param.name; });

class PlanClaimsTest : public ::testing::Test {
 protected:
  PlanClaimsTest() {
    pod_.metadata.namespace_ = "lab";
    pod_.metadata.name = "worker";
    pod_.metadata.uid = "uid-worker";
    pod_.spec.resource_claims = {{.name = "gpu", .resource_claim_template_name = "one"}};
  }
  void Store(const std::string& name, const std::string& owner_uid, const std::string& entry = {}) {
    ResourceClaim claim;
    claim.metadata.namespace_ = "lab";
    claim.metadata.name = name;
    claim.metadata.owner_references = {
        {.api_version = "v1", .kind = "Pod", .uid = owner_uid, .controller = true}};
    if (!entry.empty()) claim.metadata.annotations[kPodClaimNameAnnotation] = entry;
    if (allocated_) claim.status.allocation.emplace();
    claims_["lab/" + name] = api::Object::Of(claim);
  }
  std::string Plan() {
    std::vector<const api::Object*> owned;
    for (const auto& [key, claim] : claims_) {
      if (OwnerPodUid(claim.metadata()) == pod_.metadata.uid) owned.push_back(&claim);
    }
    const PodPlan plan =
        PlanClaims(pod_, owned, [this](std::string_view key) -> const api::Object* {
          const auto found = claims_.find(key);
          return found == claims_.end() ? nullptr : &found->second;
        });
    std::string text;
    for (const auto& known : plan.known) {
      text += known.name + "=" + known.resource_claim_name.value_or("nothing") + " ";
    }
    for (const auto& missing : plan.missing)
      text += missing.entry + "<-" + missing.template_name + " ";
    for (const auto& one : plan.to_reserve) text += "reserve " + one.claim + " ";
    return text;
  }

  core_v1::Pod pod_;
  bool allocated_ = false;
  std::map<std::string, api::Object, std::less<>> claims_;
};

TEST_F(PlanClaimsTest, MakesWhatIsMissing) {
  EXPECT_EQ(Plan(), "gpu<-one ");
}

TEST_F(PlanClaimsTest, KeepsWhatIsRecorded) {
  pod_.status.resource_claim_statuses = {{.name = "gpu", .resource_claim_name = "worker-gpu-1"}};
  Store("worker-gpu-1", "uid-worker", "gpu");
  EXPECT_EQ(Plan(), "gpu=worker-gpu-1 ");
}

TEST_F(PlanClaimsTest, AdoptsAClaimWhoseNameWasNotRecorded) {
  Store("worker-gpu-1", "uid-worker", "other");
  Store("worker-gpu-2", "uid-worker", "gpu");
  EXPECT_EQ(Plan(), "gpu=worker-gpu-2 ");
}

TEST_F(PlanClaimsTest, MakesADeletedClaimAndOneOfAnotherPodAgain) {
  pod_.status.resource_claim_statuses = {{.name = "gpu", .resource_claim_name = "worker-gpu-1"}};
  EXPECT_EQ(Plan(), "gpu<-one ");
  Store("worker-gpu-1", "uid-other", "gpu");
  EXPECT_EQ(Plan(), "gpu<-one ");
}

TEST_F(PlanClaimsTest, EntryThatNeedsNoClaimStaysSo) {
  pod_.status.resource_claim_statuses = {{.name = "gpu"}};
  EXPECT_EQ(Plan(), "gpu=nothing ");
}

TEST_F(PlanClaimsTest, PodThatIsDoneOrDeletedGetsNothing) {
  pod_.metadata.deletion_timestamp = kThen;
  EXPECT_EQ(Plan(), "");
  pod_.metadata.deletion_timestamp.reset();
  pod_.status.phase = "Failed";
  EXPECT_EQ(Plan(), "");
}

TEST_F(PlanClaimsTest, PodThatBypassedTheSchedulerIsAddedToItsClaims) {
  pod_.status.resource_claim_statuses = {{.name = "gpu", .resource_claim_name = "worker-gpu-1"}};
  allocated_ = true;
  Store("worker-gpu-1", "uid-worker", "gpu");
  EXPECT_EQ(Plan(), "gpu=worker-gpu-1 ");
  pod_.spec.node_name = "n";
  EXPECT_EQ(Plan(), "gpu=worker-gpu-1 reserve lab/worker-gpu-1 ");
}

TEST_F(PlanClaimsTest, DriversOfAPodThatBypassedTheSchedulerMustBeTold) {
  pod_.spec.node_name = "node";
  resource_v1alpha2::ResourceClaim claim;
  claim.metadata.namespace_ = "lab";
  claim.metadata.name = "shared";
  const auto waits = [&] {
    const api::Object object = api::Object::Of(claim);
    return PlanClaims(pod_,
                      {},
                      [&](std::string_view key) { return key == "lab/shared" ? &object : nullptr; })
        .waits_for_driver;
  };
  core_v1::PodResourceClaim entry{.name = "x"};
  entry.source.emplace().resource_claim_name = "shared";
  pod_.spec.resource_claims = {entry};
  EXPECT_TRUE(waits());
  claim.spec.allocation_mode = "Immediate";
  EXPECT_FALSE(waits());
  claim.spec.allocation_mode = "WaitForFirstConsumer";
  pod_.status.phase = "Succeeded";  // a pod that is done never gets anything
  EXPECT_FALSE(waits());
}

TEST(MakeClaim, CopiesTheTemplateAndNamesItsPod) {
  core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = "worker";
  pod.metadata.uid = "uid-worker";
  resource_v1::ResourceClaimTemplate one;
  one.spec.metadata.labels["team"] = "red";
  one.spec.spec.devices.requests.push_back({.name = "gpu"});
  const auto claim = MakeClaim(AsOwner(pod), "gpu", one).As<ResourceClaim>();
  EXPECT_EQ(claim.metadata.generate_name, "worker-gpu-");
  EXPECT_EQ(claim.metadata.labels.at("team"), "red");
  EXPECT_EQ(claim.metadata.annotations.at(kPodClaimNameAnnotation), "gpu");
  EXPECT_EQ(OwnerPodUid(claim.metadata), "uid-worker");
  EXPECT_FALSE(claim.metadata.owner_references[0].block_owner_deletion.has_value());
  EXPECT_EQ(claim.spec.devices.requests[0].name, "gpu");
}

}  // namespace
}  // namespace dray::controllers
