// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/affinity_index.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;

std::string Among(std::minstd_rand& random, std::string_view letters) {
  return std::string(1, letters[random() % letters.size()]);
}

core_v1::Pod PodWithRule(std::minstd_rand& random, int number) {
  core_v1::Pod pod;
  pod.metadata.uid = fmt::format("uid-{}", number);
  pod.metadata.namespace_ = "n" + Among(random, "12");
  core_v1::PodAffinityTerm term{.topology_key = "zone"};
  auto& selector = term.label_selector.emplace();
  for (size_t n = random() % 3; n > 0; --n) {
    static const std::vector<std::string> kOperators = {"In", "NotIn", "Exists", "DoesNotExist"};
    auto& one = selector.match_expressions.emplace_back();
    one.key = Among(random, "abc");
    one.operator_ = kOperators[random() % kOperators.size()];
    if (!one.operator_.ends_with("In")) continue;
    for (size_t v = 1 + random() % 12; v > 0; --v) one.values.push_back(Among(random, "uvwxyz"));
  }
  if (random() % 3 == 0) term.namespaces = {"n1", "n2"};
  if (random() % 4 == 0) term.namespace_selector.emplace();
  pod.spec.affinity.emplace()
      .pod_anti_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = {term};
  return pod;
}

bool IsAbout(const AffinityRules& rules, const core_v1::Pod& pod) {
  const AffinityTerm& term = rules.forbidden().front();
  const bool is_in = term.namespace_selector.has_value() ||
                     std::ranges::binary_search(term.namespaces, pod.metadata.namespace_);
  return is_in && term.selector.Matches(pod.metadata.labels);
}

// The index finds every rule about a pod, also after other rules were added and removed.
TEST(AffinityIndex, MissesNobody) {
  std::minstd_rand random(3);
  std::deque<core_v1::Pod> pods;
  std::deque<AffinityRules> all;
  std::set<const AffinityRules*> known;
  AffinityIndex index;
  for (int i = 0; i < 300; ++i) {
    pods.push_back(PodWithRule(random, i));
    const AffinityRules& rules = all.emplace_back(pods.back());
    index.Add(rules);
    known.insert(&rules);
    if (i % 3 == 0) {
      index.Remove(rules);
      known.erase(&rules);
    }
    core_v1::Pod asked;
    asked.metadata.namespace_ = "n" + Among(random, "12");
    for (size_t n = random() % 3; n > 0; --n)
      asked.metadata.labels[Among(random, "abc")] = Among(random, "uvwxyz");
    const std::vector<const AffinityRules*> about = index.About(asked);
    const std::set<const AffinityRules*> found(about.begin(), about.end());
    EXPECT_EQ(found.size(), about.size()) << "each once";
    for (const AffinityRules* one : known) {
      if (IsAbout(*one, asked)) EXPECT_TRUE(found.contains(one)) << i;
    }
    for (const AffinityRules* one : found) EXPECT_TRUE(known.contains(one)) << i;
  }
  for (const AffinityRules* one : known) index.Remove(*one);
  EXPECT_TRUE(index.About(core_v1::Pod()).empty());
}

// Rules that require a label which the pod lacks, or that are for other namespaces, cost nothing.
TEST(AffinityIndex, LeavesOutWhatIsForOthers) {
  std::deque<core_v1::Pod> pods;
  std::deque<AffinityRules> all;
  AffinityIndex index;
  for (int i = 0; i < 100; ++i) {
    core_v1::Pod& pod = pods.emplace_back();
    pod.metadata.uid = fmt::format("uid-{}", i);
    pod.metadata.namespace_ = "tenant";
    core_v1::PodAffinityTerm term{.topology_key = "zone"};
    term.label_selector.emplace().match_labels["app"] = fmt::format("a{}", i);
    if (i % 2 == 0) term.namespace_selector.emplace();
    pod.spec.affinity.emplace()
        .pod_anti_affinity.emplace()
        .required_during_scheduling_ignored_during_execution = {term};
    index.Add(all.emplace_back(pod));
  }
  core_v1::Pod other;
  other.metadata.namespace_ = "other";
  other.metadata.labels["app"] = "web";
  EXPECT_TRUE(index.About(other).empty());
  other.metadata.labels["app"] = "a4";
  EXPECT_EQ(index.About(other).size(), 1U);
  other.metadata.labels["app"] = "a5";
  EXPECT_TRUE(index.About(other).empty()) << "that rule is for its own namespace";
}

}  // namespace
}  // namespace dray::scheduler::inline cluster
