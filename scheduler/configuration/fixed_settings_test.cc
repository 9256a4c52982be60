// SPDX-License-Identifier: Apache-2.0
#include "scheduler/configuration/fixed_settings.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/configuration/configuration.h"

namespace dray::scheduler::inline configuration {
namespace {

Result<Configuration> ReadSettings(const std::string& rest) {
  return ReadConfiguration(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + rest);
}

TEST(FixedSettings, WhatKubeSchedulerDoesAnywayIsTaken) {
  const auto read = ReadSettings(R"(
clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf, qps: 50, burst: 100}
leaderElection: {leaderElect: true, leaseDuration: 15s, resourceName: kube-scheduler}
enableProfiling: true
enableContentionProfiling: true
parallelism: 16
percentageOfNodesToScore: 0
profiles:
- schedulerName: default-scheduler
  percentageOfNodesToScore: 0
  plugins:
    multiPoint:
      enabled:
      - {name: PrioritySort, weight: 0}
      - {name: TaintToleration, weight: 3}
      - {name: DynamicResources, weight: 2}
      - {name: NodePorts}
    score: {disabled: [{name: ImageLocality}]}
    filter: {}
  pluginConfig:
  - name: DefaultPreemption
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: DefaultPreemptionArgs
      minCandidateNodesAbsolute: 100
      minCandidateNodesPercentage: 10
  - name: InterPodAffinity
    args: {kind: InterPodAffinityArgs, hardPodAffinityWeight: 1}
  - name: NodeAffinity
    args: {kind: NodeAffinityArgs}
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]
        type: LeastAllocated
  - name: DynamicResources
    args: {filterTimeout: 1s}
)");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->profiles[0].filter_timeout, std::chrono::seconds(1));
}

TEST(FixedSettings, AnotherValueIsRefusedByName) {
  const struct {
    std::string text, why;
  } cases[] = {
      {"extenders: [{urlPrefix: http://localhost}]", "extenders: is not supported"},
      {"percentageOfNodesToScore: 50", "percentageOfNodesToScore: must be 0"},
      {"profiles: [{percentageOfNodesToScore: 1}]",
       "profiles[0].percentageOfNodesToScore: must be 0"},
      {"delayCacheUntilActive: true", "delayCacheUntilActive: is not supported"},
      {"leaderElection: {lease: 1s}", "leaderElection.lease: is not supported"},
      {"clientConnection: 7", "clientConnection: must be an object"},
      {"profiles: [{plugins: []}]", "profiles[0].plugins: must be an object"},
      {"profiles: [{plugins: {everywhere: {}}}]",
       "profiles[0].plugins.everywhere: is not supported"},
      {"profiles: [{plugins: {filter: 7}}]", "profiles[0].plugins.filter: must be an object"},
      {"profiles: [{plugins: {filter: {enabled: 7}}}]",
       "profiles[0].plugins.filter.enabled: must be a list"},
      {"profiles: [{plugins: {multiPoint: {enabled: [{name: Coscheduling}]}}}]",
       "profiles[0].plugins.multiPoint.enabled[0].name: \"Coscheduling\" is not supported, only "
       "kube-scheduler's own plugins"},
      {"profiles: [{plugins: {multiPoint: {enabled: [{name: NodePorts}, {name: "
       "TaintToleration}]}}}]",
       "profiles[0].plugins.multiPoint.enabled[1].weight: of \"TaintToleration\" must be 3"},
      {"profiles: [{plugins: {multiPoint: {enabled: [{name: DeferredPodScheduling}]}}}]",
       "profiles[0].plugins.multiPoint.enabled[0]: \"DeferredPodScheduling\" cannot be enabled "
       "here"},
      {"profiles: [{plugins: {score: {enabled: [{name: NodeResourcesFit, weight: 5}]}}}]",
       "profiles[0].plugins.score.enabled[0]: \"NodeResourcesFit\" cannot be enabled here"},
      {"profiles: [{plugins: {score: {disabled: [{name: ImageLocality}, {name: "
       "NodeResourcesFit}]}}}]",
       "profiles[0].plugins.score.disabled[1]: \"NodeResourcesFit\" cannot be disabled"},
      {"profiles: [{plugins: {score: {disabled: [{name: '*'}]}}}]",
       "profiles[0].plugins.score.disabled[0]: plugins cannot be disabled"},
      {"profiles: [{pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 2}}]}]",
       "profiles[0].pluginConfig[0].args.hardPodAffinityWeight: must be 1"},
      {"profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [a]}}]}]",
       "profiles[0].pluginConfig[0].args.ignoredResources: must be []"},
      {"profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: "
       "MostAllocated}}}]}]",
       "profiles[0].pluginConfig[0].args.scoringStrategy: must be {\"resources\":[{\"name\":"
       "\"cpu\",\"weight\":1},{\"name\":\"memory\",\"weight\":1}],\"type\":\"LeastAllocated\"}"},
      {"profiles: [{pluginConfig: [{name: NodeAffinity, args: {addedAffinity: {}}}]}]",
       "profiles[0].pluginConfig[0].args.addedAffinity: must be null"},
      {"profiles: [{pluginConfig: [{name: NodeAffinity, args: {kind: Pod}}]}]",
       "profiles[0].pluginConfig[0].args.kind: must be NodeAffinityArgs"},
      {"profiles: [{pluginConfig: [{name: NodePorts, args: {any: 1}}]}]",
       "profiles[0].pluginConfig[0].args.any: is not supported"},
  };
  for (const auto& test : cases) {
    const Result<Configuration> read = ReadSettings(test.text);
    ASSERT_FALSE(read.has_value()) << test.text;
    EXPECT_EQ(read.error().message, test.why);
  }
}

TEST(FixedSettings, ListsOfPluginsHaveALimit) {
  const auto of = [](size_t count) {
    std::string text = "profiles: [{plugins: {multiPoint: {enabled: [";
    for (size_t i = 0; i < count; ++i) text += "{name: NodePorts},";
    return ReadSettings(text + "]}}}]");
  };
  EXPECT_TRUE(of(kPluginsMax).has_value());
  EXPECT_EQ(of(kPluginsMax + 1).error().message,
            "profiles[0].plugins.multiPoint.enabled: must have at most 64 items");
}

}  // namespace
}  // namespace dray::scheduler::inline configuration
