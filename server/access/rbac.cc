// SPDX-License-Identifier: Apache-2.0
#include "server/access/rbac.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/text/go_quote.h"

namespace dray::server::access {
namespace {

namespace rbac = api::rbac_v1;

constexpr std::string_view kAll = "*";

template <class Texts>
bool Has(const Texts& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

template <class Texts>
bool HasOrAll(const Texts& texts, std::string_view text) {
  return Has(texts, kAll) || Has(texts, text);
}

/// "pods", "pods/status", "*/status"; `asked` with its subresource.
bool IsResource(std::string_view of_rule, std::string_view asked) {
  if (of_rule == kAll || of_rule == asked) return true;
  const size_t slash = asked.find('/');
  return slash != std::string_view::npos && of_rule.starts_with("*/") &&
         of_rule.substr(1) == asked.substr(slash);
}

bool IsPath(std::string_view of_rule, std::string_view asked) {
  if (of_rule == kAll || of_rule == asked) return true;
  if (!of_rule.ends_with('*')) return false;
  while (of_rule.ends_with('*')) of_rule.remove_suffix(1);
  return asked.starts_with(of_rule);
}

std::string RoleKey(std::string_view namespace_, std::string_view name) {
  return fmt::format("{}/{}", namespace_, name);
}

/// Where the grants of a subject are; empty for one that is nobody.
std::string SubjectKey(const rbac::Subject& subject, std::string_view binding_namespace) {
  if (subject.kind == "User") return "u:" + subject.name;
  if (subject.kind == "Group") return "g:" + subject.name;
  if (subject.kind != "ServiceAccount") return {};
  const std::string_view namespace_ =
      subject.namespace_.empty() ? binding_namespace : std::string_view(subject.namespace_);
  if (namespace_.empty()) return {};
  return fmt::format("u:{}{}:{}", kServiceAccount, namespace_, subject.name);
}

std::string SubjectWords(const rbac::Subject& subject, std::string_view binding_namespace) {
  if (subject.kind != "ServiceAccount") {
    return fmt::format("{} {}", subject.kind, api::GoQuote(subject.name));
  }
  const std::string_view namespace_ =
      subject.namespace_.empty() ? binding_namespace : std::string_view(subject.namespace_);
  return fmt::format(
      "{} {}", subject.kind, api::GoQuote(fmt::format("{}/{}", subject.name, namespace_)));
}

std::shared_ptr<const Rules> Shared(const auto& rules) {
  return std::make_shared<const Rules>(rules.begin(), rules.end());
}

// ------------------------------------------------------------------------------------- escalation

/// Rules that say one thing each.
Rules PartsOf(const Rule& rule) {
  Rules parts;
  const std::vector<std::string> names(rule.resource_names.begin(), rule.resource_names.end());
  for (const std::string& group : rule.api_groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        Rule part;
        part.api_groups = {group};
        part.resources = {resource};
        part.verbs = {verb};
        if (names.empty()) parts.push_back(part);
        for (const std::string& name : names) {
          part.resource_names = {name};
          parts.push_back(part);
        }
      }
    }
  }
  for (const std::string& path : rule.non_resource_urls) {
    for (const std::string& verb : rule.verbs) {
      Rule part;
      part.non_resource_urls = {path};
      part.verbs = {verb};
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

/// Whether `rule` says what `part`, one of PartsOf(), says.
bool Covers(const Rule& rule, const Rule& part) {
  if (!HasOrAll(rule.verbs, part.verbs.front())) return false;
  if (!part.non_resource_urls.empty()) {
    return std::ranges::any_of(rule.non_resource_urls, [&](const std::string& path) {
      return IsPath(path, part.non_resource_urls.front());
    });
  }
  if (!HasOrAll(rule.api_groups, part.api_groups.front())) return false;
  const bool is_resource = std::ranges::any_of(rule.resources, [&](const std::string& resource) {
    return IsResource(resource, part.resources.front());
  });
  if (!is_resource) return false;
  if (rule.resource_names.empty()) return true;
  return !part.resource_names.empty() && Has(rule.resource_names, part.resource_names.front());
}

/// Parts of one resource and name become one rule with all their verbs.
Rules Compact(const Rules& parts) {
  Rules compact;
  for (const Rule& part : parts) {
    const auto same = std::ranges::find_if(compact, [&](const Rule& one) {
      return one.non_resource_urls.empty() && part.non_resource_urls.empty() &&
             one.api_groups == part.api_groups && one.resources == part.resources &&
             one.resource_names == part.resource_names;
    });
    if (same == compact.end()) {
      compact.push_back(part);
    } else {
      same->verbs.insert(same->verbs.end(), part.verbs.begin(), part.verbs.end());
    }
  }
  return compact;
}

template <class Texts>
std::string Quoted(const Texts& texts) {
  std::vector<std::string> quoted;
  quoted.reserve(texts.size());
  for (const std::string& text : texts) quoted.push_back(api::GoQuote(text));
  return fmt::format("[{}]", fmt::join(quoted, " "));
}

std::string Words(const Rule& rule) {
  std::vector<std::string> members;
  const auto say = [&](std::string_view name, const auto& texts) {
    if (!texts.empty()) members.push_back(fmt::format("{}:{}", name, Quoted(texts)));
  };
  say("APIGroups", rule.api_groups);
  say("Resources", rule.resources);
  say("NonResourceURLs", rule.non_resource_urls);
  say("ResourceNames", rule.resource_names);
  say("Verbs", rule.verbs);
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

}  // namespace

bool Allows(const Rule& rule, const Attributes& asked) {
  if (!HasOrAll(rule.verbs, asked.verb)) return false;
  if (!asked.path.empty()) {
    return std::ranges::any_of(rule.non_resource_urls,
                               [&](const std::string& path) { return IsPath(path, asked.path); });
  }
  if (!HasOrAll(rule.api_groups, asked.group)) return false;
  const std::string resource =
      asked.subresource.empty() ? asked.resource : asked.resource + "/" + asked.subresource;
  const bool is_resource = std::ranges::any_of(
      rule.resources, [&](const std::string& one) { return IsResource(one, resource); });
  return is_resource && (rule.resource_names.empty() || Has(rule.resource_names, asked.name));
}

bool IsMaster(const User& user) {
  return Has(user.groups, kMasters);
}

Policy::Policy(const PolicyObjects& objects) {
  for (const rbac::ClusterRole& role : objects.cluster_roles) {
    roles_[RoleKey("", role.metadata.name)] = Shared(role.rules);
  }
  for (const rbac::Role& role : objects.roles) {
    roles_[RoleKey(role.metadata.namespace_, role.metadata.name)] = Shared(role.rules);
  }
  for (const rbac::ClusterRoleBinding& binding : objects.cluster_bindings) {
    Add(binding, "ClusterRoleBinding", everywhere_);
  }
  for (const rbac::RoleBinding& binding : objects.bindings) {
    Add(binding, "RoleBinding", in_namespace_[binding.metadata.namespace_]);
  }
}

template <class Binding>
void Policy::Add(const Binding& binding, std::string_view word, BySubject& grants) {
  const std::string& namespace_ = binding.metadata.namespace_;
  const std::shared_ptr<const Rules> rules = Find(binding.role_ref, namespace_);
  const std::string missing =
      rules != nullptr ? std::string()
                       : fmt::format(R"({}.rbac.authorization.k8s.io "{}" not found)",
                                     binding.role_ref.kind == "Role" ? "role" : "clusterrole",
                                     binding.role_ref.name);
  const std::string name =
      namespace_.empty() ? binding.metadata.name : binding.metadata.name + "/" + namespace_;
  std::set<std::string> known;  // one subject counts once
  for (const rbac::Subject& subject : binding.subjects) {
    const std::string key = SubjectKey(subject, namespace_);
    if (key.empty() || !known.insert(key).second) continue;
    grants[key].push_back({.words = fmt::format("{} {} of {} {} to {}",
                                                word,
                                                api::GoQuote(name),
                                                binding.role_ref.kind,
                                                api::GoQuote(binding.role_ref.name),
                                                SubjectWords(subject, namespace_)),
                           .rules = rules,
                           .missing = missing});
  }
}

std::shared_ptr<const Rules> Policy::Find(const rbac::RoleRef& ref,
                                          std::string_view namespace_) const {
  const bool is_role = ref.kind == "Role";
  if (!is_role && ref.kind != "ClusterRole") return nullptr;
  if (is_role && namespace_.empty()) return nullptr;  // not the cluster role of that name
  const auto found = roles_.find(RoleKey(is_role ? namespace_ : "", ref.name));
  return found == roles_.end() ? nullptr : found->second;
}

// `visit` answers whether to go on.
template <class F>
void Policy::ForEach(const User& user, std::string_view namespace_, F&& visit) const {
  std::vector<const BySubject*> tables = {&everywhere_};
  const auto local = in_namespace_.find(namespace_);
  if (!namespace_.empty() && local != in_namespace_.end()) tables.push_back(&local->second);
  std::vector<std::string> keys = {"u:" + user.name};
  for (const std::string& group : user.groups) keys.push_back("g:" + group);
  for (const BySubject* table : tables) {
    for (const std::string& key : keys) {
      const auto found = table->find(key);
      if (found == table->end()) continue;
      for (const Grant& grant : found->second) {
        if (!visit(grant)) return;
      }
    }
  }
}

Verdict Policy::Decide(const User& user, const Attributes& asked) const {
  if (IsMaster(user)) return {.is_allowed = true};
  Verdict verdict;
  std::vector<std::string> missing;
  ForEach(user, asked.namespace_, [&](const Grant& grant) {
    if (grant.rules == nullptr) {
      if (!Has(missing, grant.missing)) missing.push_back(grant.missing);
      return true;
    }
    verdict.is_allowed =
        std::ranges::any_of(*grant.rules, [&](const Rule& rule) { return Allows(rule, asked); });
    if (verdict.is_allowed) verdict.reason = "RBAC: allowed by " + grant.words;
    return !verdict.is_allowed;
  });
  if (verdict.is_allowed || missing.empty()) return verdict;
  verdict.reason = missing.size() == 1 ? "RBAC: " + missing.front()
                                       : fmt::format("RBAC: [{}]", fmt::join(missing, ", "));
  return verdict;
}

Rules Policy::RulesFor(const User& user, std::string_view namespace_) const {
  Rules rules;
  ForEach(user, namespace_, [&](const Grant& grant) {
    if (grant.rules != nullptr) {
      rules.insert(rules.end(), grant.rules->begin(), grant.rules->end());
    }
    return true;
  });
  return rules;
}

Result<Rules> Policy::RulesOf(const rbac::RoleRef& ref, std::string_view namespace_) const {
  const std::shared_ptr<const Rules> found = Find(ref, namespace_);
  if (found != nullptr) return *found;
  return Fail(StatusReason::kNotFound,
              fmt::format(R"({}.rbac.authorization.k8s.io "{}" not found)",
                          ref.kind == "Role" ? "role" : "clusterrole",
                          ref.name));
}

Rules Uncovered(std::span<const Rule> held, std::span<const Rule> wanted) {
  Rules uncovered;
  for (const Rule& rule : wanted) {
    for (Rule& part : PartsOf(rule)) {
      const bool is_held =
          std::ranges::any_of(held, [&](const Rule& own) { return Covers(own, part); });
      if (!is_held) uncovered.push_back(std::move(part));
    }
  }
  return uncovered;
}

std::string EscalationText(const User& user, const Rules& missing) {
  std::set<std::string> lines;
  for (const Rule& rule : Compact(missing)) lines.insert(Words(rule));
  return fmt::format(
      "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
      api::GoQuote(user.name),
      Quoted(user.groups),
      fmt::join(lines, "\n"));
}

}  // namespace dray::server::access
