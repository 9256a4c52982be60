// SPDX-License-Identifier: Apache-2.0
// Problems without a solution, for which a search without proofs takes steps exponential in the
// number of devices.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/resource_v1/slice.h"
#include "bench/allocator/cluster_builder.h"
#include "bench/allocator/shapes.h"

namespace dray::bench {
namespace {

namespace v1 = api::resource_v1;

constexpr size_t kInfeasiblePerSlice = 128;
constexpr const char* kNode = "node-000";

/// A node with `gpus` equal GPUs.
ClusterBuilder OneNode(size_t gpus) {
  ClusterBuilder cluster;
  cluster.AddNodes(1);
  cluster.AddClass("gpu", kGpuDriver);
  cluster.AddClass("nic", kNicDriver);
  std::vector<v1::Device> devices(gpus);
  for (size_t i = 0; i < gpus; ++i) devices[i].name = fmt::format("gpu-{:03}", i);
  cluster.Publish(kNode, kGpuDriver, kInfeasiblePerSlice, std::move(devices));
  return cluster;
}

PlacementProblem Named(const char* id, std::string meaning, ClusterBuilder cluster) {
  cluster.problem().id = id;
  return {std::move(cluster.problem()), {.none = 1}, std::move(meaning)};
}

/// The most that a claim can request is 32 devices.
PlacementProblem SpreadOverClaims() {
  ClusterBuilder cluster = OneNode(128);
  size_t number = 0;
  for (const int64_t count : {32, 32, 32, 32, 1})
    cluster.AddClaim(fmt::format("claim-{}", number++), {Request("gpu", "gpu", count)});
  return Named(
      "five claims", "129 devices in five claims (32, 32, 32, 32, 1) of 128", std::move(cluster));
}

PlacementProblem OneForEachClaim() {
  ClusterBuilder cluster = OneNode(128);
  for (size_t i = 0; i < 129; ++i)
    cluster.AddClaim(fmt::format("claim-{:03}", i), {Request("gpu", "gpu", 1)});
  return Named("N+1 claims", "129 claims for one device of 128", std::move(cluster));
}

/// Twelve NICs of four roots, three each. The claim needs four of one root, so there are enough
/// candidates but never on one root.
PlacementProblem GroupsOneShort() {
  ClusterBuilder cluster = OneNode(64);
  std::vector<v1::Device> nics(12);
  for (size_t i = 0; i < nics.size(); ++i) {
    nics[i].name = fmt::format("nic-{:02}", i);
    nics[i].attributes["root"] = Number(static_cast<int64_t>(i % 4));
  }
  cluster.Publish(kNode, kNicDriver, kInfeasiblePerSlice, std::move(nics));
  cluster.AddClaim("claim",
                   {Request("gpus", "gpu", 8), Request("nics", "nic", 4)},
                   {Match("nic.example.com/root", {"nics"})});
  return Named(
      "groups one short", "8 of 64, then 4 NICs of one root where each has 3", std::move(cluster));
}

/// Sixteen NICs in a square: rows and columns have four each, so either constraint alone can be
/// satisfied, but two NICs of one row are never in one column.
PlacementProblem TwoConstraints() {
  constexpr size_t kSide = 4;
  ClusterBuilder cluster = OneNode(64);
  std::vector<v1::Device> nics(kSide * kSide);
  for (size_t i = 0; i < nics.size(); ++i) {
    nics[i].name = fmt::format("nic-{:02}", i);
    nics[i].attributes["row"] = Number(static_cast<int64_t>(i / kSide));
    nics[i].attributes["column"] = Number(static_cast<int64_t>(i % kSide));
  }
  cluster.Publish(kNode, kNicDriver, kInfeasiblePerSlice, std::move(nics));
  cluster.AddClaim(
      "claim",
      {Request("gpus", "gpu", 8), Request("nics", "nic", 2)},
      {Match("nic.example.com/row", {"nics"}), Match("nic.example.com/column", {"nics"})});
  return Named(
      "two constraints", "8 of 64, then 2 NICs of one row and one column", std::move(cluster));
}

}  // namespace

std::vector<PlacementProblem> InfeasibleWork() {
  std::vector<PlacementProblem> all;
  all.push_back(SpreadOverClaims());
  all.push_back(OneForEachClaim());
  all.push_back(GroupsOneShort());
  all.push_back(TwoConstraints());
  return all;
}

}  // namespace dray::bench
