// SPDX-License-Identifier: Apache-2.0
// A binding that finds no memory: its first, second, … last allocation fails. What became of the
// pod is found out all the same, and nothing is written twice or left behind.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/claims/pod_claims.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "base/testing/failing_memory.h"
#include "client/testing/memory_client.h"
#include "scheduler/bind/bind.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler::inline bind {
namespace {

using dray::testing::AllocationsNotCounted;
using testing::Cluster;

/// A server that has all the memory it needs.
class RichClient : public client::Client {
 public:
  explicit RichClient(client::Client& client) : client_(client) {}

  Result<api::Object> Get(const client::ObjectRef& ref) override {
    const AllocationsNotCounted rich;
    return client_.Get(ref);
  }
  Result<client::ObjectList> List(const api::KindInfo& kind,
                                  const client::ListOptions& options) override {
    const AllocationsNotCounted rich;
    return client_.List(kind, options);
  }
  Result<api::Object> Create(const api::Object& object) override {
    const AllocationsNotCounted rich;
    return client_.Create(object);
  }
  Result<api::Object> Update(const api::Object& object, std::string_view subresource) override {
    const AllocationsNotCounted rich;
    return client_.Update(object, subresource);
  }
  Result<api::Object> Patch(const client::ObjectRef& ref,
                            client::PatchType type,
                            std::string_view patch,
                            std::string_view subresource) override {
    const AllocationsNotCounted rich;
    return client_.Patch(ref, type, patch, subresource);
  }
  Result<> Delete(const client::ObjectRef& ref,
                  const api::meta_v1::DeleteOptions& options) override {
    const AllocationsNotCounted rich;
    return client_.Delete(ref, options);
  }
  Result<> CreateSubresource(const client::ObjectRef& ref,
                             std::string_view subresource,
                             const api::Object& object) override {
    const AllocationsNotCounted rich;
    return client_.CreateSubresource(ref, subresource, object);
  }
  bool takes_sequences() const override { return client_.takes_sequences(); }
  std::vector<Result<api::Object>> WriteAll(std::span<const client::Write> writes) override {
    const AllocationsNotCounted rich;
    return client_.WriteAll(writes);
  }
  Result<std::unique_ptr<client::Watch>> StartWatch(const api::KindInfo& kind,
                                                    const client::ListOptions& options,
                                                    const std::string& resource_version,
                                                    client::WatchHandler handler) override {
    return client_.StartWatch(kind, options, resource_version, std::move(handler));
  }

 private:
  client::Client& client_;
};

class BindWithoutMemory : public ::testing::TestWithParam<bool> {};

/// Whether an allocation failed.
bool BindsAlthoughOneFails(bool in_sequence, int successes) {
  Cluster cluster;
  cluster.client.set_takes_sequences(in_sequence);
  cluster.AddClass();
  cluster.AddNode("a", 1);
  cluster.AddClaim("gpu");
  cluster.AddPod("worker", {"gpu"});
  RichClient client(cluster.client);
  api::resource_v1::AllocationResult allocation;
  allocation.devices.results.push_back(
      {.request = "gpu", .driver = "d", .pool = "a", .device = "gpu-0"});
  BindTask task{.pod_key = "lab/worker",
                .pod = api::Object::Of(cluster.Pod("worker")),
                .node = "a",
                .claims = {{.claim = api::Object::Of(cluster.Claim("gpu")),
                            .allocation = std::move(allocation)}}};
  dray::testing::TakeAllocationFailed();
  dray::testing::FailAllocationAfter(successes);
  BindOutcome outcome = Bind(client, std::move(task));
  dray::testing::FailAllocationAfter(-1);
  const bool has_failed = dray::testing::TakeAllocationFailed();
  for (int i = 0; i < 10 && outcome.unknown.has_value(); ++i) {
    outcome = Bind(client, *std::exchange(outcome.unknown, std::nullopt));
  }
  EXPECT_FALSE(outcome.unknown.has_value()) << successes;
  const auto claim = cluster.Claim("gpu");
  const bool is_bound = cluster.Pod("worker").spec.node_name == "a";
  EXPECT_EQ(is_bound, outcome.error.empty()) << successes << ": " << outcome.error;
  EXPECT_EQ(claim.status.reserved_for.size(), is_bound ? 1U : 0U) << successes;
  EXPECT_EQ(claim.status.allocation.has_value() || !is_bound, true) << successes;
  return has_failed;
}

TEST_P(BindWithoutMemory, WhatBecameOfThePodIsFoundOut) {
  if (!dray::testing::WhyAllocationsSucceed().empty()) {
    GTEST_SKIP() << dray::testing::WhyAllocationsSucceed();
  }
  int successes = 0;
  while (BindsAlthoughOneFails(GetParam(), successes)) ++successes;
  EXPECT_GT(successes, 10);
}

INSTANTIATE_TEST_SUITE_P(Writes, BindWithoutMemory, ::testing::Bool());

}  // namespace
}  // namespace dray::scheduler::inline bind
