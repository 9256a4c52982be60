// SPDX-License-Identifier: Apache-2.0
// Each known defect with objects that meet it, and with the most similar ones that do not.
#include "planning/lint/defect_signs.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/selector_cache.h"
#include "api/kind.h"
#include "base/simulated_world.h"
#include "dray/selector.h"
#include "manifests/objects.h"
#include "planning/lint/known_defects.h"
#include "planning/objects/offline_objects.h"

namespace dray::planning::inline lint {
namespace {

std::string SliceText(std::string_view name, std::string_view node, std::string_view spec) {
  return fmt::format(
      "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: {}}}\n"
      "spec: {{driver: gpu.example.com, nodeName: {}, {}}}\n",
      name,
      node,
      spec);
}
/// Devices of pool "a" on node "a".
std::string DevicesText(std::string_view devices, std::string_view more = "") {
  return SliceText(
      "gpus",
      "a",
      fmt::format("pool: {{name: a, generation: 1, resourceSliceCount: 1}}, {}devices: [{}]",
                  more,
                  devices));
}
std::string ClaimText(std::string_view devices, std::string_view status = "") {
  return fmt::format(
      "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
      "metadata: {{name: c, namespace: team, uid: c}}\nspec: {{devices: {{{}}}}}\nstatus: {{{}}}\n",
      devices,
      status);
}
/// A claim with one request, of class gpu.
std::string RequestText(std::string_view more, std::string_view status = "") {
  return ClaimText(
      fmt::format("requests: [{{name: r, exactly: {{deviceClassName: gpu, {}}}}}]", more), status);
}
/// The result of a claim that has a device of pool "a".
std::string HasText(std::string_view device, std::string_view more = "") {
  return fmt::format(
      "allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: a, device: "
      "{}{}}}]}}}}",
      device,
      more);
}
std::string PodText(std::string_view name,
                    std::string_view spec,
                    std::string_view status = "",
                    std::string_view metadata = "") {
  return fmt::format(
      "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {0}, namespace: team, uid: {0}{3}}}\n"
      "spec: {{containers: [{{name: c, image: x}}], {1}}}\nstatus: {{{2}}}\n",
      name,
      spec,
      status,
      metadata);
}
/// Another claim, as Claim makes it.
std::string NamedText(std::string_view name, std::string claim) {
  constexpr std::string_view kName = "{name: c, namespace: team, uid: c}";
  claim.replace(claim.find(kName),
                kName.size(),
                fmt::format("{{name: {0}, namespace: team, uid: {0}}}", name));
  return claim;
}
std::string RuleText(std::string_view spec) {
  return fmt::format(
      "---\napiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: {{name: r}}\n"
      "spec: {{{}}}\n",
      spec);
}
std::string ClassText(std::string_view name, std::string_view spec) {
  return fmt::format(
      "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: {}}}\nspec: "
      "{{{}}}\n",
      name,
      spec);
}
std::string NodeText(std::string_view status) {
  return fmt::format("---\napiVersion: v1\nkind: Node\nmetadata: {{name: a}}\nstatus: {{{}}}\n",
                     status);
}

constexpr std::string_view kCounters =
    "sharedCounters: [{name: m, counters: {memory: {value: 40Gi}}}], ";
constexpr std::string_view kDraws =
    "consumesCounters: [{counterSet: m, counters: {memory: {value: 30Gi}}}]";

struct SignCase {
  std::string_view issue;
  std::string met, not_met;
};

/// A device that draws from counters, with these members too.
std::string DrawingText(std::string_view more = "") {
  return DevicesText(fmt::format("{{name: gpu-0, {}{}}}", kDraws, more), kCounters);
}

std::vector<SignCase> ClaimsThatWait() {
  const std::string plain = DevicesText("{name: gpu-0}");
  const std::string spread = "pool: {name: a, generation: 1, resourceSliceCount: 2}, devices: [";
  const std::string list =
      "requests: [{name: r, firstAvailable: [{name: first, deviceClassName: gpu, %}, "
      "{name: second, deviceClassName: gpu}]}]";
  const auto list_with = [&](std::string_view more) {
    std::string text = list;
    return ClaimText(text.replace(text.find('%'), 1, more));
  };
  const std::string capacity = "capacity: {requests: {memory: 1Gi}}";
  return {
      {"kubernetes#138882",
       DrawingText() + RequestText("allocationMode: All"),
       DrawingText() + RequestText("count: 1") +
           NamedText("d", RequestText("allocationMode: All", HasText("gpu-0")))},
      {"kubernetes#140436",
       DrawingText(", taints: [{key: k, effect: NoSchedule}]") + RequestText("count: 1"),
       DrawingText(", taints: [{key: k, effect: None}]") + RequestText("count: 1")},
      {"kubernetes#141829",
       SliceText("gpus", "a", spread + "{name: gpu-0}]") + RequestText("allocationMode: All"),
       plain + RequestText("allocationMode: All")},
      {"kubernetes#134466",
       SliceText("gpus", "a", spread + "{name: gpu-0}]") +
           SliceText("more", "b", spread + "{name: gpu-1}]") + RequestText("allocationMode: All"),
       SliceText("gpus", "a", spread + "{name: gpu-0}]") +
           SliceText("more", "a", spread + "{name: gpu-1}]") + RequestText("allocationMode: All")},
      {"kubernetes#140729",
       DrawingText() + RequestText("adminAccess: true"),
       plain + RequestText("adminAccess: true")},
      {"kubernetes#140650",
       DevicesText("{name: gpu-0, capacity: {gpu.example.com/memory: {value: 2Gi}}}") +
           RequestText(capacity),
       DevicesText("{name: gpu-0, capacity: {memory: {value: 2Gi}}}") + RequestText(capacity)},
      {"kubernetes#137347",
       plain + list_with("allocationMode: All"),
       plain + list_with("count: 2") + NamedText("d", RequestText("allocationMode: All"))},
      {"kubernetes#131299",
       plain + RequestText("adminAccess: true, count: 2"),
       plain + RequestText("adminAccess: true") + NamedText("d", RequestText("count: 2"))},
      {"kubernetes#131679", plain + RequestText("count: 17"), plain + RequestText("count: 16")},
  };
}

std::vector<SignCase> ClaimsWithDevices() {
  const std::string plain = DevicesText("{name: gpu-0}, {name: gpu-1}");
  const std::string numa = DevicesText(
      "{name: gpu-0, attributes: {numa: {int: 0}}}, {name: gpu-1, attributes: {numa: "
      "{int: 0}}}, {name: gpu-2, attributes: {numa: {int: 1}}}");
  const auto two = [](std::string_view second) {
    return ClaimText(
        "requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}], constraints: "
        "[{distinctAttribute: gpu.example.com/numa}]",
        fmt::format("allocation: {{devices: {{results: [{{request: r, driver: "
                    "gpu.example.com, pool: a, device: gpu-0}}, {{request: r, driver: "
                    "gpu.example.com, pool: a, device: {}}}]}}}}",
                    second));
  };
  const auto reserved = [](std::string_view consumers) {
    return fmt::format("{}, reservedFor: [{}]", HasText("gpu-0"), consumers);
  };
  const std::string pod = "{resource: pods, name: p, uid: p}";
  const std::string gone = "{resource: pods, name: gone, uid: g}";
  const std::string other = "{apiGroup: batch, resource: jobs, name: j, uid: j}";
  const std::string tolerations = "tolerations: [{operator: Exists, effect: NoExecute}]";
  std::string many, fewer;
  for (int i = 0; i < 32; ++i) {
    fewer = many;
    many += fmt::format("{}{{resource: pods, name: p{}, uid: p{}}}", i == 0 ? "" : ", ", i, i);
  }
  const std::string extended =
      "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: "
      "team, "
      "annotations: {resource.kubernetes.io/extended-resource-claim: \"true\"}, ownerReferences: "
      "[{apiVersion: v1, kind: Pod, name: p, uid: p, controller: true}]}\nspec: {devices: "
      "{requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\nstatus: {" +
      HasText("gpu-0") + "}\n";
  return {
      {"kubernetes#140438", numa + two("gpu-1"), numa + two("gpu-2")},
      {"kubernetes#133602",
       plain + RequestText("", HasText("gpu-0")) +
           NamedText("d", RequestText("", HasText("gpu-0"))),
       plain + RequestText("", HasText("gpu-0")) +
           NamedText("d", RequestText("", HasText("gpu-1"))) +
           NamedText("e",
                     RequestText("adminAccess: true", HasText("gpu-0", ", adminAccess: true")))},
      {"kubernetes#140802",
       DrawingText() + RequestText("", HasText("gpu-9")),
       DrawingText() + RequestText("", HasText("gpu-0")) + NamedText("d", RequestText("count: 1"))},
      {"kubernetes#134434",
       plain + RequestText(tolerations, HasText("gpu-0")),
       plain +
           RequestText(tolerations,
                       HasText("gpu-0", ", tolerations: [{operator: Exists, effect: NoExecute}]"))},
      {"kubernetes#132334",
       plain + PodText("p", "") + RequestText("", reserved(gone)),
       plain + PodText("p", "") + RequestText("", reserved(pod + ", " + gone))},
      {"kubernetes#136450",
       plain + RequestText("", reserved(other)),
       plain + RequestText("", reserved(pod))},
      {"kubernetes#134312",
       plain + extended + PodText("p", "nodeName: a", "phase: Succeeded"),
       plain + extended + PodText("p", "nodeName: a", "phase: Running")},
      {"kubernetes#129544",
       plain + RequestText("", reserved(many)),
       plain + RequestText("", reserved(fewer))},
      {"kubernetes#140798",
       plain + RequestText("", HasText("gpu-0", ", shareID: 11111111-1111-1111-1111-111111111111")),
       DevicesText("{name: gpu-0, allowMultipleAllocations: true}") +
           RequestText("", HasText("gpu-0", ", shareID: 11111111-1111-1111-1111-111111111111"))},
  };
}

std::vector<SignCase> Published() {
  const std::string other_driver =
      "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: nics}\nspec: "
      "{driver: nic.example.com, nodeName: a, pool: {name: %, generation: 1, resourceSliceCount: "
      "1}, " +
      fmt::format("{}devices: [{{name: vf-0, {}}}]}}\n", kCounters, kDraws);
  const auto pool_named = [&](std::string_view name) {
    std::string text = other_driver;
    return text.replace(text.find('%'), 1, name);
  };
  const std::string shared = ", allowMultipleAllocations: true";
  const auto step = [](std::string_view step) {
    return DevicesText(
        fmt::format("{{name: gpu-0, allowMultipleAllocations: true, capacity: {{memory: "
                    "{{value: 4Gi, requestPolicy: {{default: 1Gi, validRange: {{min: "
                    "1Gi, step: {}}}}}}}}}}}",
                    step));
  };
  return {
      {"kubernetes#139034",
       DrawingText(shared),
       DrawingText() + NamedText("d", RequestText("count: 1"))},
      {"kubernetes#140433",
       DrawingText(shared),
       DrawingText(shared + ", capacity: {memory: {value: 4Gi}}")},
      {"kubernetes#140434",
       DrawingText() + pool_named("a"),
       DrawingText() + pool_named("nics-of-a")},
      {"kubernetes#134189", DrawingText(), DevicesText("{name: gpu-0}")},
      {"kubernetes#139698", step("\"0\""), step("1Gi")},
      {"kubernetes#141426",
       ClassText("x", "extendedResourceName: gpu.example.com/gpu") +
           NodeText("capacity: {gpu.example.com/gpu: 4}"),
       ClassText("x", "extendedResourceName: gpu.example.com/gpu") +
           NodeText("capacity: {cpu: 4}")},
      {"kubernetes#139651",
       RuleText("taint: {key: k, effect: NoExecute}, deviceSelector: {driver: gpu.example.com}"),
       DevicesText("{name: gpu-0, taints: [{key: k, effect: NoExecute}]}")},
      {"kubernetes#141620",
       RuleText("taint: {key: k, effect: NoSchedule}"),
       RuleText("taint: {key: k, effect: NoSchedule}, deviceSelector: {driver: gpu.example.com}")},
  };
}

std::vector<SignCase> OfPods() {
  const std::string plain = DevicesText("{name: gpu-0}, {name: gpu-1}");
  const std::string both =
      "resourceClaims: [{name: c, resourceClaimName: c}, {name: d, resourceClaimName: d}]";
  const std::string one = "resourceClaims: [{name: c, resourceClaimName: c}]";
  const std::string old_claim = RequestText("", HasText("gpu-0"));
  const std::string new_claim = NamedText("d", RequestText("count: 1"));
  const std::string tainted = DevicesText("{name: gpu-0, taints: [{key: k, effect: NoExecute}]}");
  const std::string extended =
      "phase: Running, extendedResourceClaimStatus: {resourceClaimName: c, requestMappings: []}";
  const auto asks_for = [](std::string_view resource) {
    return fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: team}}\nspec: "
        "{{containers: "
        "[{{name: c, image: x, resources: {{requests: {{{}: 1}}}}}}]}}\n",
        resource);
  };
  const auto of_driver = [](std::string_view driver) {
    return NamedText(
        "d",
        RequestText("",
                    fmt::format("allocation: {{devices: {{results: [{{request: r, driver: {}, "
                                "pool: a, device: x}}]}}}}",
                                driver)));
  };
  return {
      {"kubernetes#139016",
       plain + old_claim + new_claim + PodText("p", both),
       plain + old_claim + new_claim + PodText("p", both + ", nodeName: a")},
      {"kubernetes#141290",
       tainted + old_claim + PodText("p", "nodeName: a", extended),
       plain + old_claim + PodText("p", "nodeName: a", extended)},
      {"kubernetes#135667",
       asks_for("deviceclass.resource.kubernetes.io/gpu"),
       asks_for("gpu.example.com/gpu")},
      {"kubernetes#135901",
       plain + old_claim + new_claim + PodText("first", one + ", nodeName: a", "phase: Running") +
           PodText("p", both + ", nodeName: a", "phase: Pending"),
       plain + old_claim + new_claim + PodText("first", one + ", nodeName: b", "phase: Running") +
           PodText("p", both + ", nodeName: a", "phase: Pending")},
      {"kubernetes#140274",
       old_claim + of_driver("nic.example.com") +
           PodText("p", both + ", nodeName: a", "phase: Pending"),
       old_claim + of_driver("gpu.example.com") +
           PodText("p", both + ", nodeName: a", "phase: Pending")},
  };
}

std::vector<SignCase> AllCases() {
  std::vector<SignCase> all;
  for (auto* const some : {&ClaimsThatWait, &ClaimsWithDevices, &Published, &OfPods}) {
    for (SignCase& one : some()) all.push_back(std::move(one));
  }
  return all;
}

class DefectSigns : public ::testing::Test {
 protected:
  /// The fields of objects in `text` that meet the defect.
  std::vector<std::string> Met(const KnownDefect& defect, const std::string& text) {
    MemoryDisk disk;
    const std::string all =
        text +
        ClassText("gpu",
                  "selectors: [{cel: {expression: 'device.driver == \"gpu.example.com\"'}}]");
    EXPECT_TRUE(disk.Write("f.yaml", all, Disk::Privacy::kOwnerOnly).has_value());
    const std::vector<std::string> paths = {"f.yaml"};
    auto read = manifests::ReadManifests(disk, scheme_, paths);
    EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().message) << all;
    if (!read) return {};
    EXPECT_THAT(read->notes, ::testing::IsEmpty());
    std::vector<api::Object> objects;
    for (const manifests::ManifestObject& one : read->objects)
      objects.push_back(AsStored(world_.world(), one.object, "default"));
    const OfflineObjects cluster = SortManifests(world_.world(), *std::move(read), "default");
    ClassesByName classes;
    for (const auto& one : cluster.classes) classes.emplace(one->metadata.name, one.get());
    const auto selectors = allocator::SelectorCacheFor({}, 100);
    LintDevices devices(cluster.slices, {}, *selectors);
    DefectFacts facts(cluster, classes, devices);
    std::vector<std::string> fields;
    for (const api::Object& object : objects) {
      if (const auto evidence = defect.sign(object, facts)) fields.push_back(evidence->field);
    }
    return fields;
  }

  api::Scheme scheme_;
  SimulatedWorld world_{1};
};

TEST_F(DefectSigns, SeeWhatMeetsTheDefectAndNothingElse) {
  for (const SignCase& one : AllCases()) {
    SCOPED_TRACE(one.issue);
    const auto defect = std::ranges::find(KnownDefects(), one.issue, &KnownDefect::issue);
    ASSERT_NE(defect, KnownDefects().end());
    EXPECT_THAT(Met(*defect, one.met), ::testing::Not(::testing::IsEmpty()));
    EXPECT_THAT(Met(*defect, one.not_met), ::testing::IsEmpty());
  }
}

TEST_F(DefectSigns, HaveACaseEach) {
  std::set<std::string_view> tested;
  for (const SignCase& one : AllCases()) tested.insert(one.issue);
  for (const KnownDefect& defect : KnownDefects())
    EXPECT_TRUE(tested.contains(defect.issue)) << defect.issue;
}

}  // namespace
}  // namespace dray::planning::inline lint
