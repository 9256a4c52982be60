// SPDX-License-Identifier: Apache-2.0
#include "tests/access/rbac_cases.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/object.h"
#include "tests/judges/chance.h"

namespace dray::access {
namespace {

namespace rbac = api::rbac_v1;
using judges::Chance;
using server::access::Attributes;
using server::access::Rule;
using server::access::User;

using Words = std::initializer_list<const char*>;
constexpr auto kVerbs = std::to_array<const char*>(
    {"get", "list", "watch", "create", "update", "patch", "delete", "use", "*"});
constexpr auto kGroups = std::to_array<const char*>({"", "apps", "resource.k8s.io", "*"});
constexpr auto kResources = std::to_array<const char*>({"pods",
                                                        "pods/status",
                                                        "pods/log",
                                                        "claims",
                                                        "claims/status",
                                                        "*/status",
                                                        "*/log",
                                                        "claims/*",
                                                        "*/*",
                                                        "*"});
constexpr auto kNames = std::to_array<const char*>({"a", "b", "c"});
constexpr auto kPaths = std::to_array<const char*>(
    {"/", "/healthz", "/healthz/*", "/health*", "/metrics", "/apis/**", "*", "metrics*"});
constexpr auto kAskedPaths = std::to_array<const char*>(
    {"/", "/healthz", "/healthz/etcd", "/healthy", "/metrics", "/apis/apps", "/api*"});
constexpr auto kUsers = std::to_array<const char*>({"alice",
                                                    "bob",
                                                    "system:serviceaccount:lab:bot",
                                                    "system:serviceaccount:kube-system:bot",
                                                    "system:node:a"});
constexpr auto kUserGroups =
    std::to_array<const char*>({"devs", "ops", "system:authenticated", "system:nodes"});
constexpr auto kNamespaces = std::to_array<const char*>({"lab", "kube-system", ""});
constexpr auto kLocal = std::to_array<const char*>({"lab", "kube-system"});
constexpr auto kRoles = std::to_array<const char*>({"r0", "r1", "r2", "r3", "r4", "r5", "gone"});

constexpr size_t kRolesOfEach = 6;
constexpr size_t kBindingsOfEach = 5;
constexpr size_t kRulesMax = 7;

/// Chooses from one to `most` of the words.
template <class Words>
api::List<std::string> Some(Chance& chance, const Words& words, int most) {
  api::List<std::string> some;
  const int count = chance.Between(1, most);
  for (int i = 0; i < count; ++i) some.emplace_back(chance.Pick(words));
  return some;
}

Rule RuleOf(Chance& chance) {
  Rule rule;
  rule.verbs = Some(chance, kVerbs, 3);
  if (chance.Percent(20)) {
    rule.non_resource_urls = Some(chance, kPaths, 2);
    return rule;
  }
  rule.api_groups = Some(chance, kGroups, 2);
  rule.resources = Some(chance, kResources, 2);
  if (chance.Percent(25)) rule.resource_names = Some(chance, kNames, 2);
  return rule;
}

auto RulesOf(Chance& chance) {
  api::List<Rule> rules;
  const size_t count = chance.Below(kRulesMax + 1) + 1;
  for (size_t i = 0; i < count; ++i) rules.push_back(RuleOf(chance));
  return rules;
}

rbac::Subject SubjectOf(Chance& chance) {
  rbac::Subject subject;
  subject.kind = chance.Percent(50) ? "Group" : chance.Percent(60) ? "User" : "ServiceAccount";
  if (chance.Percent(3)) subject.kind = "Robot";
  if (subject.kind == "ServiceAccount") {
    subject.name = "bot";
    subject.namespace_ = chance.Pick(kNamespaces);
  } else {
    subject.api_group = "rbac.authorization.k8s.io";
    subject.name = subject.kind == "Group" ? chance.Pick(kUserGroups) : chance.Pick(kUsers);
  }
  return subject;
}

template <class Binding>
Binding BindingOf(Chance& chance, size_t number, bool is_local) {
  Binding binding;
  binding.metadata.name = fmt::format("b{}", number);
  if (is_local) binding.metadata.namespace_ = chance.Pick(kLocal);
  binding.role_ref.api_group = "rbac.authorization.k8s.io";
  // Servers refuse a ClusterRoleBinding of a Role, but one may be in the store.
  binding.role_ref.kind = chance.Percent(is_local ? 50 : 2) ? "Role" : "ClusterRole";
  binding.role_ref.name = chance.Pick(kRoles);
  const int subjects = chance.Between(0, 3);
  for (int i = 0; i < subjects; ++i) binding.subjects.push_back(SubjectOf(chance));
  return binding;
}

User UserOf(Chance& chance) {
  User user{.name = chance.Pick(kUsers), .uid = {}, .groups = {}};
  const int groups = chance.Between(0, 3);
  for (int i = 0; i < groups; ++i) user.groups.emplace_back(chance.Pick(kUserGroups));
  return user;
}

/// Requests also use a word that no rule has literally.
template <class Words>
std::string Asked(Chance& chance, const Words& words) {
  return chance.Percent(5) ? "other" : std::string(chance.Pick(words));
}

Question QuestionOf(Chance& chance) {
  Question question{.user = UserOf(chance), .asked = {.verb = Asked(chance, kVerbs)}};
  Attributes& asked = question.asked;
  if (chance.Percent(20)) {
    asked.path = chance.Pick(kAskedPaths);
    return question;
  }
  asked.group = Asked(chance, kGroups);
  asked.resource = chance.Percent(50) ? "pods" : chance.Percent(90) ? "claims" : "other";
  if (chance.Percent(40)) asked.subresource = chance.Percent(70) ? "status" : "log";
  if (chance.Percent(50)) asked.name = Asked(chance, kNames);
  asked.namespace_ = chance.Pick(kNamespaces);
  return question;
}

// -------------------------------------------------------------------------------------------- text

template <class Objects>
void WriteObjects(api::JsonWriter& json, std::string_view name, const Objects& objects) {
  json.Member(name).Array([&] {
    for (const auto& object : objects) json.Raw(api::ToJson(api::Object::Of(object)));
  });
}

void WriteUser(api::JsonWriter& json, const User& user) {
  json.Member("user", user.name);
  json.Member("groups").ArrayOf(user.groups);
}

void WriteQuestion(api::JsonWriter& json, const Question& question) {
  const Attributes& asked = question.asked;
  json.Object([&] {
    WriteUser(json, question.user);
    json.Member("verb", asked.verb);
    json.Member("group", asked.group);
    json.Member("resource", asked.resource);
    json.Member("subresource", asked.subresource);
    json.Member("name", asked.name);
    json.Member("namespace", asked.namespace_);
    json.Member("path", asked.path);
  });
}

void WriteGrant(api::JsonWriter& json, const Grant& grant) {
  rbac::ClusterRole role;
  role.rules = {grant.rules.begin(), grant.rules.end()};
  json.Object([&] {
    WriteUser(json, grant.user);
    json.Member("namespace", grant.namespace_);
    json.Member("role").Raw(api::ToJson(api::Object::Of(std::move(role))));
  });
}

/// FNV-1a, 64 bits; the peer uses the same.
uint64_t Digest(std::string_view text) {
  uint64_t digest = 0xcbf29ce484222325U;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return digest;
}

/// "RBAC: [a, b]" with its parts sorted, because upstream visits bindings in another order.
std::string Sorted(std::string_view reason) {
  constexpr std::string_view kBegin = "RBAC: [";
  if (!reason.starts_with(kBegin)) return std::string(reason);
  std::vector<std::string> parts;
  std::string_view rest = reason.substr(kBegin.size(), reason.size() - kBegin.size() - 1);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(", "), rest.size());
    parts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  std::ranges::sort(parts);
  return fmt::format("RBAC: [{}]", fmt::join(parts, ", "));
}

struct Answers {
  std::vector<bool> allowed;
  std::string reasons;
};

Answers AskAll(const World& world) {
  const server::access::Policy policy(world.objects);
  Answers answers;
  for (const Question& question : world.questions) {
    const server::access::Verdict verdict = policy.Decide(question.user, question.asked);
    answers.allowed.push_back(verdict.is_allowed);
    if (!verdict.is_allowed) answers.reasons += Sorted(verdict.reason) + "\n";
  }
  for (const Grant& grant : world.grants) {
    const auto held = policy.RolesFor(grant.user, grant.namespace_);
    const auto missing = server::access::Uncovered(held, server::access::RuleIndex(grant.rules));
    if (!missing.empty()) {
      answers.reasons += server::access::EscalationText(grant.user, missing);
    }
    answers.reasons += "\n";
  }
  return answers;
}

std::string Hex(const std::vector<bool>& bits) {
  std::string text;
  for (size_t i = 0; i < bits.size(); i += 4) {
    unsigned digit = 0;
    for (size_t k = i; k < i + 4; ++k) digit = digit * 2 + (k < bits.size() && bits[k] ? 1U : 0U);
    text += "0123456789abcdef"[digit];
  }
  return text;
}

}  // namespace

World WorldOf(uint64_t seed) {
  Chance chance(seed);
  World world;
  for (size_t i = 0; i < kRolesOfEach; ++i) {
    rbac::ClusterRole& everywhere = world.objects.cluster_roles.emplace_back();
    everywhere.metadata.name = fmt::format("r{}", i);
    everywhere.rules = RulesOf(chance);
    rbac::Role& local = world.objects.roles.emplace_back();
    local.metadata.name = fmt::format("r{}", i);
    local.metadata.namespace_ = chance.Pick(kLocal);
    local.rules = RulesOf(chance);
  }
  for (size_t i = 0; i < kBindingsOfEach; ++i) {
    world.objects.cluster_bindings.push_back(
        BindingOf<rbac::ClusterRoleBinding>(chance, i, /*is_local=*/false));
    world.objects.bindings.push_back(BindingOf<rbac::RoleBinding>(chance, i, /*is_local=*/true));
  }
  for (size_t i = 0; i < kQuestions; ++i) world.questions.push_back(QuestionOf(chance));
  for (size_t i = 0; i < kGrants; ++i) {
    const api::List<Rule> rules = RulesOf(chance);
    world.grants.push_back({.user = UserOf(chance),
                            .namespace_ = chance.Pick(kNamespaces),
                            .rules = {rules.begin(), rules.end()}});
  }
  return world;
}

std::string JsonOf(const World& world) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      WriteObjects(json, "clusterRoles", world.objects.cluster_roles);
      WriteObjects(json, "roles", world.objects.roles);
      WriteObjects(json, "clusterRoleBindings", world.objects.cluster_bindings);
      WriteObjects(json, "roleBindings", world.objects.bindings);
      json.Member("questions").Array([&] {
        for (const Question& question : world.questions) WriteQuestion(json, question);
      });
      json.Member("grants").Array([&] {
        for (const Grant& grant : world.grants) WriteGrant(json, grant);
      });
    });
  });
}

std::string AnswerOf(const World& world) {
  const Answers answers = AskAll(world);
  return fmt::format("{} {:016x}", Hex(answers.allowed), Digest(answers.reasons));
}

std::string DetailsOf(const World& world) {
  const Answers answers = AskAll(world);
  return fmt::format("{}\n{}", Hex(answers.allowed), answers.reasons);
}

}  // namespace dray::access
