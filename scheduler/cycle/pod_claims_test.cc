// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cycle/pod_claims.h"

#include <map>
#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"

namespace dray::scheduler::inline cycle {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

class ResolveClaimsTest : public ::testing::Test {
 protected:
  ResolveClaimsTest() {
    pod_.metadata.namespace_ = "lab";
    pod_.metadata.name = "worker";
    pod_.metadata.uid = "uid-worker";
  }
  resource_v1::ResourceClaim Claim(const std::string& name) {
    resource_v1::ResourceClaim claim;
    claim.metadata.namespace_ = "lab";
    claim.metadata.name = name;
    claim.metadata.uid = "uid-" + name;
    return claim;
  }
  void Store(const resource_v1::ResourceClaim& claim) {
    claims_["lab/" + claim.metadata.name] = api::Object::Of(claim);
  }
  std::string Resolve() {
    const auto result = ResolveClaims(pod_, [this](std::string_view key) -> const api::Object* {
      const auto found = claims_.find(key);
      return found == claims_.end() ? nullptr : &found->second;
    });
    if (const auto* gated = std::get_if<Gated>(&result)) return gated->message;
    std::string names;
    for (const auto& claim : std::get<std::vector<api::Object>>(result)) {
      names += "[" + claim.metadata().name + "]";
    }
    return names;
  }

  core_v1::Pod pod_;
  std::map<std::string, api::Object, std::less<>> claims_;
};

TEST_F(ResolveClaimsTest, NamedClaimMustExistAndStay) {
  pod_.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "shared"}};
  EXPECT_EQ(Resolve(), "resourceclaim.resource.k8s.io \"shared\" not found");
  Store(Claim("shared"));
  EXPECT_EQ(Resolve(), "[shared]");
  resource_v1::ResourceClaim deleting = Claim("shared");
  deleting.metadata.deletion_timestamp = api::Time::FromUnixSeconds(1);
  Store(deleting);
  EXPECT_EQ(Resolve(), "resourceclaim \"shared\" is being deleted");
}

TEST_F(ResolveClaimsTest, GeneratedClaimMustBeRecordedAndOurs) {
  pod_.spec.resource_claims = {{.name = "gpu", .resource_claim_template_name = "one"}};
  EXPECT_EQ(Resolve(), "pod \"lab/worker\": ResourceClaim not created yet");
  pod_.status.resource_claim_statuses = {{.name = "gpu", .resource_claim_name = "worker-gpu-x"}};
  Store(Claim("worker-gpu-x"));
  EXPECT_EQ(Resolve(),
            "ResourceClaim lab/worker-gpu-x was not created for Pod lab/worker (Pod is not owner)");
  resource_v1::ResourceClaim ours = Claim("worker-gpu-x");
  ours.metadata.owner_references = {{.uid = "uid-worker", .controller = true}};
  Store(ours);
  EXPECT_EQ(Resolve(), "[worker-gpu-x]");
}

TEST_F(ResolveClaimsTest, EntryWithoutClaimIsLeftOutAndTwoEntriesMayShareOne) {
  pod_.spec.resource_claims = {{.name = "none", .resource_claim_template_name = "t"},
                               {.name = "one", .resource_claim_name = "shared"},
                               {.name = "two", .resource_claim_name = "shared"}};
  pod_.status.resource_claim_statuses = {{.name = "none"}};
  Store(Claim("shared"));
  EXPECT_EQ(Resolve(), "[shared]");
}

}  // namespace
}  // namespace dray::scheduler::inline cycle
