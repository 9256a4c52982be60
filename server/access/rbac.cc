// SPDX-License-Identifier: Apache-2.0
#include "server/access/rbac.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/text/go_quote.h"
#include "base/hash.h"

namespace dray::server::access {
namespace {

namespace rbac = api::rbac_v1;

constexpr std::string_view kOfCluster;  // the part that is in no namespace

template <class Values>
bool Has(const Values& values, const auto& value) {
  return std::ranges::find(values, value) != values.end();
}

/// The key of a subject's grants; empty for one that is no user or group.
std::string SubjectKey(const rbac::Subject& subject, std::string_view binding_namespace) {
  if (subject.kind == "User") return "u:" + subject.name;
  if (subject.kind == "Group") return "g:" + subject.name;
  if (subject.kind != "ServiceAccount") return {};
  const std::string_view namespace_name =
      subject.namespace_.empty() ? binding_namespace : std::string_view(subject.namespace_);
  if (namespace_name.empty()) return {};
  return fmt::format("u:{}{}:{}", kServiceAccount, namespace_name, subject.name);
}

std::string SubjectWords(const rbac::Subject& subject, std::string_view binding_namespace) {
  if (subject.kind != "ServiceAccount") {
    return fmt::format("{} {}", subject.kind, api::GoQuote(subject.name));
  }
  const std::string_view namespace_name =
      subject.namespace_.empty() ? binding_namespace : std::string_view(subject.namespace_);
  return fmt::format(
      "{} {}", subject.kind, api::GoQuote(fmt::format("{}/{}", subject.name, namespace_name)));
}

/// The table of a binding, of `tables` tables.
size_t TableFor(std::string_view binding, size_t tables) {
  return tables == 1 ? 0 : Hasher().Add(binding).value() % tables;
}

std::string Joined(const std::vector<std::string>& texts) {
  return texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "));
}

/// Finds the rules that match in every part. Has the memory that one decision needs for all its
/// roles.
class Look {
 public:
  explicit Look(const Attributes& asked) : asked_(asked) {
    if (asked.subresource.empty()) {
      resource_ = asked.resource;
    } else {
      resource_ = asked.resource + "/" + asked.subresource;
      slash_ = asked.resource.size();
    }
  }

  bool IsAllowedBy(const RuleIndex& rules) {
    hits_.assign(rules.words32(), ~0U);
    const auto keep = [&](auto mark) {
      some_.assign(rules.words32(), 0);
      mark(some_.data());
      uint32_t any = 0;
      for (size_t i = 0; i < hits_.size(); ++i) any |= hits_[i] &= some_[i];
      return any != 0;
    };
    if (!keep([&](uint32_t* bits) { rules.MarkVerb(asked_.verb, bits); })) return false;
    if (!asked_.path.empty()) {
      return keep([&](uint32_t* bits) { rules.MarkPath(asked_.path, bits); });
    }
    return keep([&](uint32_t* bits) { rules.MarkResource(resource_, slash_, bits); }) &&
           keep([&](uint32_t* bits) { rules.MarkGroup(asked_.group, bits); }) &&
           keep([&](uint32_t* bits) { rules.MarkName(asked_.name, bits); });
  }

 private:
  const Attributes& asked_;
  std::string resource_;
  size_t slash_ = std::string_view::npos;
  RuleBits hits_, some_;
};

}  // namespace

std::string Words(const MissingRole& missing, std::string_view resource) {
  const std::string_view usual = missing.kind == "Role" ? "role" : "clusterrole";
  return fmt::format(R"({}.rbac.authorization.k8s.io {} not found)",
                     resource.empty() ? usual : resource,
                     api::GoQuote(missing.name));
}

bool Allows(const RuleIndex& rules, const Attributes& asked) {
  return Look(asked).IsAllowedBy(rules);
}

bool IsMaster(const User& user) {
  return Has(user.groups, kMasters);
}

// ---------------------------------------------------------------------------------------- parts

bool PolicyPart::KeepRole(const std::string& name, Revision modified) {
  if (before_ == nullptr) return false;
  const auto found = before_->roles_.find(name);
  if (found == before_->roles_.end() || found->second.modified != modified) return false;
  roles_.insert_or_assign(name, found->second);
  return true;
}

bool PolicyPart::KeepBinding(const std::string& name, Revision modified) {
  if (before_ == nullptr) return false;
  const auto found = before_->bindings_.find(name);
  if (found == before_->bindings_.end() || found->second->modified != modified) return false;
  bindings_.insert_or_assign(name, found->second);
  return true;
}

void PolicyPart::AddRole(const std::string& name, Revision modified, std::span<const Rule> rules) {
  roles_.insert_or_assign(
      name, KnownRole{.modified = modified, .rules = std::make_shared<const RuleIndex>(rules)});
}

template <class Binding>
void PolicyPart::AddBinding(const Binding& binding, Revision modified) {
  const std::string& name = binding.metadata.name;
  auto known = std::make_shared<KnownBinding>();
  known->modified = modified;
  known->name = namespace_name_.empty() ? name : name + "/" + namespace_name_;
  known->role_kind = binding.role_ref.kind;
  known->role_name = binding.role_ref.name;
  known->subjects.assign(binding.subjects.begin(), binding.subjects.end());
  bindings_.insert_or_assign(name, std::move(known));
}
template void PolicyPart::AddBinding(const rbac::RoleBinding& binding, Revision modified);
template void PolicyPart::AddBinding(const rbac::ClusterRoleBinding& binding, Revision modified);

// The number of tables, so small that rebuilding one at once is cheap. A part keeps its number
// until it is several times larger, or smaller, so that a write never rebuilds all tables.
size_t PolicyPart::TablesFor(size_t subjects) const {
  constexpr size_t kSubjectsOfTable = 4096;
  constexpr size_t kTablesMax = 64;
  constexpr size_t kSlack = 4;
  if (before_ != nullptr && !before_->tables_.empty()) {
    const size_t tables = before_->tables_.size();
    const size_t usual = tables * kSubjectsOfTable;
    const bool is_too_large = subjects > usual * kSlack && tables < kTablesMax;
    const bool is_too_small = subjects < usual / kSlack && tables > 1;
    if (!is_too_large && !is_too_small) return tables;
  }
  return std::clamp<size_t>(std::bit_ceil(subjects / kSubjectsOfTable), 1, kTablesMax);
}

std::vector<bool> PolicyPart::ChangedTables(size_t tables) const {
  const bool is_alike = before_ != nullptr && before_->tables_.size() == tables;
  std::vector<bool> changed(tables, !is_alike);
  if (!is_alike) return changed;
  const auto note = [&](const auto& ours, const auto& theirs) {
    for (const auto& [name, binding] : ours) {
      const auto other = theirs.find(name);
      if (other == theirs.end() || other->second != binding) changed[TableFor(name, tables)] = true;
    }
  };
  note(bindings_, before_->bindings_);
  note(before_->bindings_, bindings_);
  return changed;
}

PolicyPart::GrantTable PolicyPart::TableOf(size_t number, size_t tables) const {
  GrantTable table;
  std::unordered_set<std::string> known;
  for (const auto& [name, binding] : bindings_) {
    if (TableFor(name, tables) != number) continue;
    for (const rbac::Subject& subject : binding->subjects) {
      const std::string key = SubjectKey(subject, namespace_name_);
      if (key.empty()) continue;
      const bool is_new =
          known.insert(fmt::format("{}\n{}/{}", key, binding->role_kind, binding->role_name))
              .second;
      if (is_new) table[key].push_back({.binding = binding.get(), .subject = &subject});
    }
  }
  return table;
}

void PolicyPart::Finish() {
  size_t subjects = 0;
  for (const auto& [name, binding] : bindings_) subjects += binding->subjects.size();
  const size_t tables = TablesFor(subjects);
  const std::vector<bool> changed = ChangedTables(tables);
  for (size_t i = 0; i < tables; ++i) {
    tables_.push_back(changed[i] ? std::make_shared<const GrantTable>(TableOf(i, tables))
                                 : before_->tables_[i]);
  }
  before_.reset();
}

// --------------------------------------------------------------------------------------- policy

Policy::Policy(const PolicyObjects& objects) {
  std::map<std::string, std::shared_ptr<PolicyPart>, std::less<>> parts;
  const auto part = [&](std::string_view name) -> PolicyPart& {
    const auto found = parts.find(name);
    if (found != parts.end()) return *found->second;
    const std::string own(name);
    return *parts.emplace(own, std::make_shared<PolicyPart>(own)).first->second;
  };
  const auto add_role = [&](const auto& role) {
    part(role.metadata.namespace_)
        .AddRole(role.metadata.name, Revision{}, std::span(role.rules.data(), role.rules.size()));
  };
  for (const rbac::ClusterRole& role : objects.cluster_roles) add_role(role);
  for (const rbac::Role& role : objects.roles) add_role(role);
  for (const auto& binding : objects.cluster_bindings)
    part(kOfCluster).AddBinding(binding, Revision{});
  for (const auto& binding : objects.bindings) {
    part(binding.metadata.namespace_).AddBinding(binding, Revision{});
  }
  for (const auto& [name, made] : parts) {
    made->Finish();
    parts_.emplace(name, made);
  }
}

const PolicyPart* Policy::Part(std::string_view namespace_name) const {
  const auto found = parts_.find(namespace_name);
  return found == parts_.end() ? nullptr : found->second.get();
}

std::shared_ptr<const RuleIndex> Policy::Find(std::string_view kind,
                                              std::string_view name,
                                              std::string_view namespace_name) const {
  const bool is_role = kind == "Role";
  if (!is_role && kind != "ClusterRole") return nullptr;
  if (is_role && namespace_name.empty()) return nullptr;  // not the cluster role of that name
  const PolicyPart* const part = Part(is_role ? namespace_name : kOfCluster);
  if (part == nullptr) return nullptr;
  const auto found = part->roles_.find(name);
  return found == part->roles_.end() ? nullptr : found->second.rules;
}

// `visit(grant, namespace of the binding)` returns whether to continue.
template <class F>
void Policy::ForEach(const User& user, std::string_view namespace_name, F&& visit) const {
  std::vector<std::string_view> places = {kOfCluster};
  if (!namespace_name.empty()) places.push_back(namespace_name);
  std::vector<std::string> keys = {"u:" + user.name};
  for (const std::string& group : user.groups) keys.push_back("g:" + group);
  for (const std::string_view place : places) {
    const PolicyPart* const part = Part(place);
    if (part == nullptr) continue;
    for (const auto& table : part->tables_) {
      for (const std::string& key : keys) {
        const auto found = table->find(key);
        if (found == table->end()) continue;
        for (const PolicyPart::Grant& grant : found->second) {
          if (!visit(grant, place)) return;
        }
      }
    }
  }
}

Verdict Policy::Decide(const User& user, const Attributes& asked) const {
  if (IsMaster(user)) return {.is_allowed = true};
  Verdict verdict;
  std::vector<std::string> missing;
  Look look(asked);
  ForEach(user, asked.namespace_, [&](const auto& grant, std::string_view place) {
    const KnownBinding& binding = *grant.binding;
    const auto rules = Find(binding.role_kind, binding.role_name, place);
    if (rules == nullptr) {
      const std::string words = Words({.kind = binding.role_kind, .name = binding.role_name});
      if (!Has(missing, words)) missing.push_back(words);
      return true;
    }
    verdict.is_allowed = look.IsAllowedBy(*rules);
    if (!verdict.is_allowed) return true;
    verdict.reason = fmt::format("RBAC: allowed by {} {} of {} {} to {}",
                                 place.empty() ? "ClusterRoleBinding" : "RoleBinding",
                                 api::GoQuote(binding.name),
                                 binding.role_kind,
                                 api::GoQuote(binding.role_name),
                                 SubjectWords(*grant.subject, place));
    return false;
  });
  if (!verdict.is_allowed && !missing.empty()) verdict.reason = "RBAC: " + Joined(missing);
  return verdict;
}

Held Policy::RolesFor(const User& user,
                      std::string_view namespace_name,
                      std::vector<MissingRole>* missing) const {
  Held roles;
  std::unordered_set<const RuleIndex*> known;
  ForEach(user, namespace_name, [&](const auto& grant, std::string_view place) {
    MissingRole role{.kind = grant.binding->role_kind, .name = grant.binding->role_name};
    auto rules = Find(role.kind, role.name, place);
    if (rules == nullptr) {
      if (missing != nullptr && !Has(*missing, role)) missing->push_back(std::move(role));
    } else if (known.insert(rules.get()).second) {
      roles.push_back(std::move(rules));
    }
    return true;
  });
  return roles;
}

std::shared_ptr<const RuleIndex> Policy::RoleOf(const rbac::RoleRef& ref,
                                                std::string_view namespace_name) const {
  return Find(ref.kind, ref.name, namespace_name);
}

}  // namespace dray::server::access
