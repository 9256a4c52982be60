// SPDX-License-Identifier: Apache-2.0
#include "scheduler/classic/classic_dialogue.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace dray::scheduler::inline classic {
namespace {

namespace classic = api::resource_v1alpha2;
namespace core_v1 = api::core_v1;
using StepKind = NextStep::Kind;

const std::vector<std::string> kNodes = {"a", "b", "c"};

api::NodeSelector AnsweredOnNode(const std::string& name) {
  core_v1::NodeSelector selector;
  core_v1::NodeSelectorTerm term;
  core_v1::NodeSelectorRequirement requirement;
  requirement.key = "kubernetes.io/hostname";
  requirement.operator_ = "In";
  requirement.values.push_back(name);
  term.match_expressions.push_back(std::move(requirement));
  selector.node_selector_terms.push_back(std::move(term));
  return *api::NodeSelector::Parse(api::NodeTerms(selector));
}

core_v1::Node NodeOf(const std::string& name) {
  core_v1::Node node;
  node.metadata.name = name;
  node.metadata.labels["kubernetes.io/hostname"] = name;
  return node;
}

ClassicClaim Pending(const std::string& entry) {
  return {.entry = entry};
}

ClassicClaim Allocated(const std::string& entry) {
  return {.entry = entry, .is_allocated = true};
}

ClassicClaim OfScheduler(const std::string& entry) {
  return {.entry = entry, .by_scheduler = true};
}

/// Requests one instance of the driver.
ClassicClaim ToAllocate(const std::string& entry, const std::string& driver) {
  classic::ResourceClass of_whom;
  of_whom.driver_name = driver;
  cel::SelectorCache selectors = allocator::NamedResourcesSelectors(1);
  ClassicClaim claim = OfScheduler(entry);
  claim.demand = std::make_shared<const allocator::NamedResourcesDemand>(
      *allocator::NamedResourcesDemand::Read({.of_whom = &of_whom}, selectors));
  return claim;
}

/// One free instance of gpu.example.com.
allocator::InstancesOnNode OnNodeA() {
  classic::ResourceSlice slice;
  slice.node_name = "a";
  slice.driver_name = "gpu.example.com";
  slice.resource_model.named_resources.emplace().instances.emplace_back().name = "gpu-0";
  return {"a",
          {std::make_shared<const classic::ResourceSlice>(slice)},
          [](const allocator::InstanceId&) { return false; }};
}

/// `spec` as "selected: asked", then each answer as "entry: unsuitable nodes".
struct Said {
  std::string selected;
  std::vector<std::string> asked;
  std::map<std::string, std::vector<std::string>> answers;
};

classic::PodSchedulingContext ContextOf(const Said& said) {
  classic::PodSchedulingContext context;
  context.spec.selected_node = said.selected;
  context.spec.potential_nodes.assign(said.asked.begin(), said.asked.end());
  for (const auto& [entry, nodes] : said.answers) {
    classic::ResourceClaimSchedulingStatus answer;
    answer.name = entry;
    answer.unsuitable_nodes.assign(nodes.begin(), nodes.end());
    context.status.resource_claims.push_back(std::move(answer));
  }
  return context;
}

std::string Render(const NextStep& step) {
  if (step.kind == StepKind::kBind) return "bind";
  if (step.kind == StepKind::kWait) return "wait";
  return fmt::format(
      "say {}: {}", step.spec.selected_node, fmt::join(step.spec.potential_nodes, " "));
}

struct StepCase {
  const char* name;
  std::vector<ClassicClaim> claims;
  Said said;
  std::vector<std::string> fitting;
  const char* want;
};

class NextStepTest : public ::testing::TestWithParam<StepCase> {};

TEST_P(NextStepTest, Is) {
  const StepCase& test = GetParam();
  const classic::PodSchedulingContext context = ContextOf(test.said);
  EXPECT_EQ(Render(NextStepOf(test.claims, &context, test.fitting, test.fitting.front())),
            test.want);
}

INSTANTIATE_TEST_SUITE_P(
    Dialogue,
    NextStepTest,
    ::testing::ValuesIn(std::vector<StepCase>{
        {"NothingToAllocate", {Allocated("x"), OfScheduler("y")}, {}, kNodes, "bind"},
        {"OneClaimNeedsNoAnswer", {Pending("x")}, {}, kNodes, "say a: a b c"},
        {"TwoClaimsAreAskedAbout", {Pending("x"), Pending("y")}, {}, kNodes, "say : a b c"},
        {"OneAnswerOfTwo",
         {Pending("x"), Pending("y")},
         {.selected = "", .asked = kNodes, .answers = {{"x", {}}}},
         kNodes,
         "wait"},
        {"AllAnswered",
         {Pending("x"), Pending("y")},
         {.selected = "", .asked = kNodes, .answers = {{"x", {}}, {"y", {}}}},
         kNodes,
         "say a: a b c"},
        {"AnswersForOthersDoNotCount",
         {Pending("x"), Pending("y")},
         {.selected = "", .asked = kNodes, .answers = {{"x", {}}, {"z", {}}}},
         kNodes,
         "wait"},
        {"EverythingIsSaid",
         {Pending("x")},
         {.selected = "a", .asked = kNodes, .answers = {}},
         kNodes,
         "wait"},
        {"FewerNodesFitThanWereAskedAbout",
         {Pending("x")},
         {.selected = "b", .asked = kNodes, .answers = {}},
         {"b"},
         "wait"},
        {"AnotherNodeFits",
         {Pending("x")},
         {.selected = "a", .asked = {"a", "b"}, .answers = {}},
         {"a", "c"},
         "say a: a c"},
        {"AnotherNodeIsChosen",
         {Pending("x")},
         {.selected = "a", .asked = kNodes, .answers = {}},
         {"b", "c"},
         "say b: a b c"},
        {"TheSchedulersClaimNeedsNoAnswer",
         {Pending("x"), OfScheduler("y")},
         {},
         kNodes,
         "say a: a b c"},
        {"NeitherDoesAnAllocatedOne",
         {Pending("x"), Pending("y"), Allocated("z")},
         {.selected = "", .asked = kNodes, .answers = {{"x", {}}, {"y", {}}}},
         kNodes,
         "say a: a b c"},
    }),
    [](const auto& test) { return test.param.name; });

std::vector<std::string> Numbered(size_t from, size_t to) {
  std::vector<std::string> names;
  for (size_t i = from; i < to; ++i) names.push_back(fmt::format("n{:04}", i));
  return names;
}

TEST(NextStep, AsksAboutAsManyNodesAsTheApiAllows) {
  const std::vector<ClassicClaim> claims = {Pending("x"), Pending("y")};
  const auto asked = [&](size_t nodes) {
    return NextStepOf(claims, nullptr, Numbered(0, nodes), "n0000").spec.potential_nodes.size();
  };
  EXPECT_EQ(asked(kPotentialNodesMax), kPotentialNodesMax);
  EXPECT_EQ(asked(kPotentialNodesMax + 1), kPotentialNodesMax);
}

TEST(NextStep, AsksAboutOthersOnlyWhenThoseThatWereAskedAboutDoNotFit) {
  const std::vector<ClassicClaim> claims = {Pending("x"), Pending("y")};
  const auto context = ContextOf({.selected = "", .asked = Numbered(100, 228), .answers = {}});
  EXPECT_EQ(NextStepOf(claims, &context, Numbered(0, 300), "n0000").kind, StepKind::kWait);
  const NextStep step = NextStepOf(claims, &context, Numbered(101, 300), "n0101");
  EXPECT_EQ(step.kind, StepKind::kSay);
  EXPECT_EQ(
      std::vector<std::string>(step.spec.potential_nodes.begin(), step.spec.potential_nodes.end()),
      Numbered(101, 229));
}

struct ObjectionCase {
  const char* name;
  std::vector<ClassicClaim> claims;
  Said said;
  const char* want;
};

class ObjectionTest : public ::testing::TestWithParam<ObjectionCase> {};

TEST_P(ObjectionTest, ToNodeA) {
  const ObjectionCase& test = GetParam();
  const classic::PodSchedulingContext context = ContextOf(test.said);
  auto instances = OnNodeA();
  const NodeObjection objection =
      ObjectionTo(NodeOf("a"), test.claims, &context, ClassicClaims::kAll, instances);
  std::string text = objection.reason;
  for (const size_t index : objection.unavailable) text += fmt::format(" {}", index);
  EXPECT_EQ(text, test.want);
}

ClassicClaim With(ClassicClaim claim, const std::string& node) {
  claim.nodes.push_back(AnsweredOnNode(node));
  return claim;
}

INSTANTIATE_TEST_SUITE_P(
    Nodes,
    ObjectionTest,
    ::testing::ValuesIn(std::vector<ObjectionCase>{
        {"NothingKnown", {Pending("x")}, {}, ""},
        {"AllocatedEverywhere", {Allocated("x")}, {}, ""},
        {"AllocatedHere", {With(Allocated("x"), "a")}, {}, ""},
        {"AllocatedElsewhere",
         {With(Allocated("x"), "b"), With(Allocated("y"), "a"), With(Allocated("z"), "c")},
         {},
         "resourceclaim not available on the node 0 2"},
        {"ExcludedByClass",
         {With(Allocated("x"), "b"), With(Pending("y"), "b")},
         {},
         "excluded by resource class node filter"},
        {"Unsuitable",
         {Pending("x")},
         {.selected = "", .asked = kNodes, .answers = {{"x", {"b", "a"}}}},
         "resourceclaim cannot be allocated for the node (unsuitable)"},
        {"UnsuitableForAnotherClaim",
         {Pending("x")},
         {.selected = "", .asked = kNodes, .answers = {{"y", {"a"}}}},
         ""},
        {"Structured", {ToAllocate("x", "gpu.example.com")}, {}, ""},
        {"StructuredOfAnotherDriver",
         {ToAllocate("x", "nic.example.com")},
         {},
         "resourceclaim cannot be allocated for the node (unsuitable)"},
        {"StructuredForTwoClaims",
         {ToAllocate("x", "gpu.example.com"), ToAllocate("y", "gpu.example.com")},
         {},
         "resourceclaim cannot be allocated for the node (unsuitable)"},
        {"WhatIsAllocatedIsNotAskedAbout",
         {Allocated("x")},
         {.selected = "", .asked = kNodes, .answers = {{"x", {"a"}}}},
         ""},
    }),
    [](const auto& test) { return test.param.name; });

TEST(Objection, NamesTheClassAsTheReleaseDoes) {
  auto instances = OnNodeA();
  EXPECT_EQ(
      ObjectionTo(
          NodeOf("a"), {{With(Pending("x"), "b")}}, nullptr, ClassicClaims::kMarked, instances)
          .reason,
      "excluded by device class node filter");
}

}  // namespace
}  // namespace dray::scheduler::inline classic
