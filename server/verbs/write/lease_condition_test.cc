// SPDX-License-Identifier: Apache-2.0
// A leader's write is carried out only while it holds its lease.
#include "server/verbs/write/lease_condition.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"
#include "server/testing/hooked_store.h"

namespace dray::server::verbs::inline write {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kLeaseRefusal =
    "409 Conflict: Operation cannot be fulfilled on deviceclasses.resource.k8s.io \"c\": me does "
    "not hold the lease kube-system/dray any more";

class LeaseConditionTest : public testing::ServerTest {
 protected:
  LeaseConditionTest() { Post("deviceclasses", "", R"({"metadata":{"name":"c"},"spec":{}})"); }

  void SetLease(std::string_view spec) {
    const std::string body = R"({"metadata":{"name":"dray"},"spec":)" + std::string(spec) + "}";
    Delete("leases", "kube-system", "dray");
    EXPECT_THAT(Post("leases", "kube-system", body), StartsWith("201"));
  }

  ResourceRequest Label(std::string_view value) const {
    ResourceRequest request = Request(Verb::kPatch, "deviceclasses", "", "c");
    request.patch_type = patch::PatchType::kMerge;
    request.body = R"({"metadata":{"labels":{"a":")" + std::string(value) + R"("}}})";
    request.under_lease = {
        .namespace_ = "kube-system", .name = "dray", .holder = "me", .transitions = 3};
    return request;
  }
};

TEST_F(LeaseConditionTest, AWriteNeedsTheLeaseItNames) {
  struct Case {
    std::string_view spec;
    bool is_held;
  };
  EXPECT_EQ(Do(Label("0")), kLeaseRefusal) << "there is none";
  constexpr Case kCases[] = {
      {R"({"holderIdentity":"me","leaseTransitions":3})", true},
      {R"({"holderIdentity":"other","leaseTransitions":4})", false},
      {R"({"holderIdentity":"me","leaseTransitions":5})", false},
      {R"({"holderIdentity":"","leaseTransitions":3})", false},
      {R"({"leaseTransitions":3})", false},
      {R"({"holderIdentity":"me"})", false},
  };
  int value = 0;
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.spec);
    SetLease(each.spec);
    EXPECT_THAT(Do(Label(std::to_string(++value))),
                StartsWith(each.is_held ? "200" : kLeaseRefusal));
  }
}

/// The same over a store that lets other requests in between read and write.
class LeaseThatChanges : public ::testing::Test {
 protected:
  std::string Ask(const ResourceRequest& request) {
    const Result<Answer> answer = Wait(resources_.Handle(request));
    return answer->outcome.has_value() ? "ok" : answer->outcome.error().message;
  }
  ResourceRequest Lease(Verb verb, std::string_view holder, int transitions) const {
    ResourceRequest request{.verb = verb, .kind = &KindOf("leases"), .namespace_ = "kube-system"};
    if (verb != Verb::kCreate) request.name = "dray";
    request.body = R"({"metadata":{"name":"dray"},"spec":{"holderIdentity":")" +
                   std::string(holder) + R"(","leaseTransitions":)" + std::to_string(transitions) +
                   "}}";
    return request;
  }
  const api::KindInfo& KindOf(std::string_view plural) const {
    for (const api::KindInfo* kind : scheme_.kinds()) {
      if (kind->plural == plural && &kind->storage() == kind) return *kind;
    }
    ADD_FAILURE() << plural;
    return *scheme_.kinds().front();
  }
  /// Writes under the lease; `meanwhile` is carried out after the write has read the store.
  std::string WriteWhile(const ResourceRequest& meanwhile) {
    ResourceRequest create{.verb = Verb::kCreate, .kind = &KindOf("deviceclasses")};
    create.body = std::string(R"({"metadata":{"name":"c"},"spec":{}})");
    EXPECT_EQ(Ask(create), "ok");
    ResourceRequest write{.verb = Verb::kPatch, .kind = create.kind, .name = "c"};
    write.body = std::string(R"({"metadata":{"labels":{"a":"b"}}})");
    write.under_lease = {.namespace_ = "kube-system", .name = "dray", .holder = "me"};
    store_.AfterNextRead([&] { EXPECT_EQ(Ask(meanwhile), "ok"); });
    return Ask(write);
  }

  SimulatedWorld world_{7};
  api::Scheme scheme_;
  testing::HookedStore store_;
  Resources resources_{scheme_, store_, world_.world(), Log::Silent(), {}};
};

TEST_F(LeaseThatChanges, AtTheLastMomentIsNoticed) {
  EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
  EXPECT_EQ(Ask(Lease(Verb::kCreate, "me", 0)), "ok");
  EXPECT_THAT(WriteWhile(Lease(Verb::kPatch, "other", 1)), HasSubstr("does not hold the lease"));
}

TEST_F(LeaseThatChanges, IfItIsOnlyRenewedTheWriteGoesOn) {
  EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
  EXPECT_EQ(Ask(Lease(Verb::kCreate, "me", 0)), "ok");
  ResourceRequest renewal = Lease(Verb::kPatch, "me", 0);
  renewal.body = std::string(R"({"spec":{"leaseDurationSeconds":20}})");
  EXPECT_EQ(WriteWhile(renewal), "ok");
}

}  // namespace
}  // namespace dray::server::verbs::inline write
