// SPDX-License-Identifier: Apache-2.0
#include "api/validation/workloads/pod_placement.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "api/validation/workloads/pod_spec.h"

namespace dray::api::validation::inline workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "FIELD: MESSAGE" of each error.
std::vector<std::string> WrongWith(const std::function<void(core_v1::PodSpec&)>& change) {
  core_v1::PodSpec spec;
  core_v1::Container container;
  container.name = "c";
  container.image = "i";
  spec.containers.push_back(std::move(container));
  spec.restart_policy = "Always";
  spec.dns_policy = "ClusterFirst";
  change(spec);
  FieldErrors errors;
  CheckPodSpec(spec, Path("spec"), errors);
  std::vector<std::string> found;
  for (const ErrorCause& cause : std::move(errors).Take()) {
    found.push_back(cause.field + ": " + cause.message);
  }
  return found;
}

core_v1::TopologySpreadConstraint Spread(std::string key, std::string action, int32_t skew = 1) {
  return {
      .max_skew = skew, .topology_key = std::move(key), .when_unsatisfiable = std::move(action)};
}

TEST(PodPlacement, NothingIsWrongWithAPlainPod) {
  EXPECT_THAT(WrongWith([](auto&) {}), IsEmpty());
  EXPECT_THAT(WrongWith([](core_v1::PodSpec& spec) {
                spec.topology_spread_constraints = {Spread("zone", "DoNotSchedule"),
                                                    Spread("zone", "ScheduleAnyway")};
                spec.topology_spread_constraints[0].min_domains = 2;
              }),
              IsEmpty());
}

TEST(PodPlacement, EachFieldOfASpreadConstraintIsChecked) {
  EXPECT_THAT(
      WrongWith([](core_v1::PodSpec& spec) {
        core_v1::TopologySpreadConstraint one = Spread("", "Whatever", -5);
        one.min_domains = 0;
        one.node_affinity_policy = "Maybe";
        one.match_label_keys = {"app"};
        spec.topology_spread_constraints = {one};
      }),
      ElementsAre(
          "spec.topologySpreadConstraints[0].maxSkew: Invalid value: -5: must be greater than zero",
          "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
          "spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"Whatever\": "
          "supported values: \"DoNotSchedule\", \"ScheduleAnyway\"",
          "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than "
          "zero",
          "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains "
          "if whenUnsatisfiable=DoNotSchedule, not Whatever",
          "spec.topologySpreadConstraints[0].nodeAffinityPolicy: Unsupported value: \"Maybe\": "
          "supported values: \"Honor\", \"Ignore\"",
          "spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when "
          "labelSelector is not set"));
}

TEST(PodPlacement, SpreadConstraintsDiffer) {
  EXPECT_THAT(WrongWith([](core_v1::PodSpec& spec) {
                spec.topology_spread_constraints = {Spread("zone", "ScheduleAnyway"),
                                                    Spread("host", "ScheduleAnyway"),
                                                    Spread("zone", "ScheduleAnyway")};
              }),
              ElementsAre("spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: "
                          "Duplicate value: \"{zone, ScheduleAnyway}\""));
}

TEST(PodPlacement, TermsAboutOtherPods) {
  EXPECT_THAT(
      WrongWith([](core_v1::PodSpec& spec) {
        core_v1::WeightedPodAffinityTerm requested{.weight = 101};
        requested.pod_affinity_term.topology_key = "zone";
        requested.pod_affinity_term.label_selector.emplace().match_expressions.push_back(
            {.key = "app", .operator_ = "Near", .values = {}});
        requested.pod_affinity_term.match_label_keys = {"a"};
        requested.pod_affinity_term.mismatch_label_keys = {"a"};
        spec.affinity.emplace().pod_anti_affinity.emplace();
        spec.affinity->pod_anti_affinity->preferred_during_scheduling_ignored_during_execution = {
            requested};
      }),
      ElementsAre(
          "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight:"
          " Invalid value: 101: must be in the range 1-100",
          "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
          "podAffinityTerm.labelSelector.matchExpressions[0].operator: Invalid value: \"Near\": "
          "not "
          "a valid selector operator",
          "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
          "podAffinityTerm.matchLabelKeys[0]: Invalid value: \"a\": exists in both matchLabelKeys "
          "and mismatchLabelKeys"));
}

TEST(PodPlacement, NodesAreSelectedByLabels) {
  EXPECT_THAT(
      WrongWith([](core_v1::PodSpec& spec) {
        core_v1::PreferredSchedulingTerm requested{.weight = 0};
        requested.preference.match_expressions.push_back(
            {.key = "zone", .operator_ = "In", .values = {}});
        spec.affinity.emplace()
            .node_affinity.emplace()
            .preferred_during_scheduling_ignored_during_execution = {requested};
      }),
      ElementsAre(
          "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: "
          "Invalid value: 0: must be in the range 1-100",
          "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
          "preference.matchExpressions[0].values: Required value: must be specified when "
          "`operator` is 'In' or 'NotIn'"));
}

TEST(PodPlacement, PortsAreInRangeAndTakenOnce) {
  EXPECT_THAT(
      WrongWith([](core_v1::PodSpec& spec) {
        spec.containers[0].ports = {
            {.name = "web", .host_port = 80, .container_port = 65535, .protocol = "TCP"},
            {.name = "web", .host_port = 80, .container_port = 65536, .protocol = "TCP"},
            {.host_port = 70000, .container_port = 0, .protocol = "ICMP"}};
      }),
      ElementsAre(
          "spec.containers[0].ports[1].name: Duplicate value: \"web\"",
          "spec.containers[0].ports[1].containerPort: Invalid value: 65536: must be between "
          "1 and 65535, inclusive",
          "spec.containers[0].ports[2].containerPort: Required value",
          "spec.containers[0].ports[2].hostPort: Invalid value: 70000: must be between 1 "
          "and 65535, inclusive",
          "spec.containers[0].ports[2].protocol: Unsupported value: \"ICMP\": supported "
          "values: \"SCTP\", \"TCP\", \"UDP\"",
          "spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP//80\""));
}

TEST(PodPlacement, GatesAreNamedOnce) {
  EXPECT_THAT(WrongWith([](core_v1::PodSpec& spec) {
                spec.scheduling_gates = {{.name = "a.example/b"}, {.name = "a.example/b"}};
              }),
              ElementsAre("spec.schedulingGates[1]: Duplicate value: \"a.example/b\""));
}

}  // namespace
}  // namespace dray::api::validation::inline workloads
