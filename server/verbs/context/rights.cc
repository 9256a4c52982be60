// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/context/rights.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/rbac_v1.h"
#include "base/try.h"
#include "server/access/node_rules.h"
#include "server/access/refusal.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/context/node_relations.h"
#include "store/record.h"
#include "store/snapshot.h"

namespace dray::server::verbs::inline context {
namespace {

namespace rbac = api::rbac_v1;
using access::Attributes;
using access::Rules;

// ---------------------------------------------------------------------------------- the policy

constexpr std::array kPolicyKinds = {&api::Reflected<rbac::Role>::kKind,
                                     &api::Reflected<rbac::ClusterRole>::kKind,
                                     &api::Reflected<rbac::RoleBinding>::kKind,
                                     &api::Reflected<rbac::ClusterRoleBinding>::kKind};

/// The namespace in a key of a kind; empty for cluster-scoped kinds.
std::string_view NamespaceIn(const api::KindInfo& kind, std::string_view key) {
  if (!kind.namespaced) return {};
  key.remove_prefix(storage::ResourcePrefix(kind).size());
  return key.substr(0, key.find('/'));
}

std::string_view NameIn(std::string_view key) {
  return key.substr(key.rfind('/') + 1);
}

/// Reads the objects of `T` in a namespace that have changed into a part.
template <class T, class Keep, class Add>
void Read(const store::Snapshot& snapshot, std::string_view namespace_name, Keep keep, Add add) {
  const api::KindInfo& kind = api::Reflected<T>::kKind;
  const std::string prefix = storage::CollectionPrefix(kind, namespace_name);
  for (const store::Record& record : snapshot.Range({.prefix = prefix})) {
    const std::string name(NameIn(record.key()));
    if (keep(name, record.modified)) continue;
    const auto item = storage::ItemOf(storage::View::OfStorage(kind), record);
    if (item.has_value() && item->has_value()) {
      add(name, record.modified, (*item)->object.template As<T>());
    }
  }
}

template <class Role, class Binding>
std::shared_ptr<const access::PolicyPart> PartOf(const store::Snapshot& snapshot,
                                                 const std::string& namespace_name,
                                                 std::shared_ptr<const access::PolicyPart> before) {
  auto part = std::make_shared<access::PolicyPart>(namespace_name, std::move(before));
  Read<Role>(
      snapshot,
      namespace_name,
      [&](const std::string& name, Revision modified) { return part->KeepRole(name, modified); },
      [&](const std::string& name, Revision modified, const Role& role) {
        part->AddRole(name, modified, std::span(role.rules.data(), role.rules.size()));
      });
  Read<Binding>(
      snapshot,
      namespace_name,
      [&](const std::string& name, Revision modified) { return part->KeepBinding(name, modified); },
      [&](const std::string&, Revision modified, const Binding& binding) {
        part->AddBinding(binding, modified);
      });
  part->Finish();
  return part;
}

using Namespaces = std::set<std::string, std::less<>>;

/// The namespaces that have roles or bindings; the empty name stands for the cluster.
Namespaces AllNamespaces(const store::Snapshot& snapshot) {
  Namespaces names = {""};
  for (const api::KindInfo* const kind : kPolicyKinds) {
    if (!kind->namespaced) continue;
    const std::string prefix = storage::ResourcePrefix(*kind);
    for (const store::Record& record : snapshot.Range({.prefix = prefix})) {
      const std::string_view name = NamespaceIn(*kind, record.key());
      if (names.find(name) == names.end()) names.emplace(name);
    }
  }
  return names;
}

/// The namespaces whose roles or bindings have changed after `seen`, up to `newest`; nothing when
/// the store no longer has those events, or they are too many to read.
std::optional<Namespaces> ChangedNamespaces(const store::Store& store,
                                            Revision seen,
                                            Revision newest) {
  constexpr size_t kEventsMax = 256;
  constexpr int kBatchesMax = 16;  // beyond: reread all namespaces
  Namespaces names;
  for (const api::KindInfo* const kind : kPolicyKinds) {
    const std::string prefix = storage::ResourcePrefix(*kind);
    Revision through = seen;
    for (int batches = 0; through < newest; ++batches) {
      const auto batch = store.EventsAfter(through, prefix, kEventsMax);
      if (!batch.has_value() || batches == kBatchesMax) return std::nullopt;
      for (const auto& event : batch->events) {
        names.emplace(NamespaceIn(*kind, event->record->key()));
      }
      through = batch->through;
    }
  }
  return names;
}

std::string BoundNodeOf(const User& user) {
  const auto found = user.extra.find(std::string(access::kNodeName));
  return found == user.extra.end() || found->second.size() != 1 ? std::string()
                                                                : found->second.front();
}

std::string_view VerbOf(Verb verb) {
  return verb == Verb::kPatch ? "patch" : "update";
}

// ------------------------------------------------------------------------------------- escalation

Attributes About(const ResourceRequest& request, std::string_view verb) {
  return {.verb = std::string(verb),
          .group = std::string(request.kind->group),
          .resource = std::string(request.kind->plural),
          .name = request.name,
          .namespace_ = request.namespace_};
}

/// The errors for roles of the user that could not be read. Upstream reads roles as part of the
/// request, so its errors name the resource of the request.
std::string ResolutionErrors(const ResourceRequest& request,
                             const std::vector<access::MissingRole>& roles) {
  std::vector<std::string> errors;
  for (const access::MissingRole& role : roles) {
    std::string words = access::Words(role, request.kind->plural);
    if (std::ranges::find(errors, words) == errors.end()) errors.push_back(std::move(words));
  }
  if (errors.empty()) return {};
  if (errors.size() == 1) return fmt::format("; resolution errors: [{}]", errors.front());
  return fmt::format("; resolution errors: [[{}]]", fmt::join(errors, ", "));
}

/// Why the requester may not grant `wanted` to others; empty when that is allowed.
std::string WhyNotGive(const access::Policy& policy,
                       const ResourceRequest& request,
                       const access::RuleIndex& wanted) {
  std::vector<access::MissingRole> roles;
  const access::Missing missing =
      access::Uncovered(policy.RolesFor(request.user, request.namespace_, &roles), wanted);
  if (missing.empty()) return {};
  return access::EscalationText(request.user, missing) + ResolutionErrors(request, roles);
}

Result<> RefuseUnless(const access::Policy& policy,
                      const ResourceRequest& request,
                      const api::Object& next,
                      const access::RuleIndex& wanted) {
  const std::string why = WhyNotGive(policy, request, wanted);
  if (why.empty()) return {};
  return Fail(errors::Forbidden(*request.kind, next.metadata().name, why));
}

/// Whether the role takes its rules from other roles: it may then grant any rule.
template <class T>
bool Aggregates(const api::Object* role) {
  if constexpr (requires { role->As<T>().aggregation_rule; }) {
    if (role == nullptr) return false;
    const auto& rule = role->As<T>().aggregation_rule;
    return rule.has_value() && !rule->cluster_role_selectors.empty();
  } else {
    return false;
  }
}

Rules AllRules() {
  rbac::PolicyRule resources;
  resources.verbs = {"*"};
  resources.api_groups = {"*"};
  resources.resources = {"*"};
  rbac::PolicyRule paths;
  paths.verbs = {"*"};
  paths.non_resource_urls = {"*"};
  return {std::move(resources), std::move(paths)};
}

template <class T>
Result<> CheckRole(const access::Policy& policy,
                   const ResourceRequest& request,
                   const api::Object& next,
                   const api::Object* old) {
  const auto& role = next.As<T>();
  if (old != nullptr && IsOnlyLettingGo<T>(next, *old)) return {};
  if (policy.Decide(request.user, About(request, "escalate")).is_allowed) return {};
  const access::RuleIndex rules(std::span(role.rules.data(), role.rules.size()));
  DRAY_TRY_VOID(RefuseUnless(policy, request, next, rules));
  // Also for a role that had an aggregationRule before: a user could otherwise keep the rules that
  // the role has gathered.
  if (!Aggregates<T>(&next) && !Aggregates<T>(old)) return {};
  if (WhyNotGive(policy, request, access::RuleIndex(AllRules())).empty()) return {};
  return Fail(errors::Forbidden(*request.kind,
                                next.metadata().name,
                                "must have cluster-admin privileges to use the aggregationRule"));
}

template <class T>
Result<> CheckBinding(const access::Policy& policy,
                      const ResourceRequest& request,
                      const api::Object& next,
                      const api::Object* old) {
  const auto& binding = next.As<T>();
  if (old != nullptr && IsOnlyLettingGo<T>(next, *old)) return {};
  Attributes asked = About(request, "bind");
  asked.resource = binding.role_ref.kind == "Role" ? "roles" : "clusterroles";
  asked.name = binding.role_ref.name;
  const bool is_role = binding.role_ref.kind == "Role" || binding.role_ref.kind == "ClusterRole";
  if (!is_role) return {};  // validation refuses it
  if (policy.Decide(request.user, asked).is_allowed) return {};
  const auto wanted = policy.RoleOf(binding.role_ref, request.namespace_);
  if (wanted == nullptr) return Fail(errors::NotFound(*request.kind, binding.role_ref.name));
  return RefuseUnless(policy, request, next, *wanted);
}

using Check = Result<> (*)(const access::Policy& policy,
                           const ResourceRequest& request,
                           const api::Object& next,
                           const api::Object* old);
Check CheckOf(const api::Object& object) {
  if (object.If<rbac::Role>() != nullptr) return CheckRole<rbac::Role>;
  if (object.If<rbac::ClusterRole>() != nullptr) return CheckRole<rbac::ClusterRole>;
  if (object.If<rbac::RoleBinding>() != nullptr) return CheckBinding<rbac::RoleBinding>;
  if (object.If<rbac::ClusterRoleBinding>() != nullptr) {
    return CheckBinding<rbac::ClusterRoleBinding>;
  }
  return nullptr;
}

}  // namespace

// ----------------------------------------------------------------------------------------- rights

void Rights::Learn(const store::Snapshot& snapshot) {
  std::optional<Namespaces> changed;
  if (policy_ != nullptr) changed = ChangedNamespaces(store_, seen_, snapshot.revision());
  if (changed.has_value() && changed->empty()) return;
  access::Policy::Parts parts;
  if (changed.has_value()) parts = policy_->parts();
  const std::shared_ptr<const access::Policy> old = policy_;
  const auto before = [&](std::string_view name) -> std::shared_ptr<const access::PolicyPart> {
    if (old == nullptr) return nullptr;
    const auto found = old->parts().find(name);
    return found == old->parts().end() ? nullptr : found->second;
  };
  for (const std::string& name : changed.has_value() ? *changed : AllNamespaces(snapshot)) {
    parts[name] =
        name.empty()
            ? PartOf<rbac::ClusterRole, rbac::ClusterRoleBinding>(snapshot, name, before(name))
            : PartOf<rbac::Role, rbac::RoleBinding>(snapshot, name, before(name));
  }
  policy_ = std::make_shared<const access::Policy>(std::move(parts));
}

std::shared_ptr<const access::Policy> Rights::Current() {
  const Frozen<store::Snapshot> snapshot = store_.Read();
  const MutexLock lock(mutex_);
  if (policy_ != nullptr && snapshot->revision() <= seen_) return policy_;
  Learn(*snapshot);
  seen_ = snapshot->revision();
  return policy_;
}

access::Verdict Rights::Decide(const User& user, const Attributes& asked) {
  if (access::IsMaster(user)) return {.is_allowed = true};
  const std::shared_ptr<const access::Policy> policy = Current();
  access::Verdict verdict = policy->Decide(user, asked);
  const std::optional<std::string_view> node = access::NodeOf(user);
  if (verdict.is_allowed) return verdict;
  if (!verdict.reason.empty()) verdict.reason = "rbac: " + verdict.reason;
  if (!node.has_value()) return verdict;
  rbac::RoleRef ref;
  ref.kind = "ClusterRole";
  ref.name = "system:node";
  const auto usual = policy->RoleOf(ref, "");
  access::Verdict of_node = access::DecideForNode(
      *node, asked, [&] { return IsOfNode(*store_.Read(), *node, asked); }, usual.get());
  if (!of_node.reason.empty() && !verdict.reason.empty()) of_node.reason += "\n";
  if (!of_node.is_allowed) of_node.reason += verdict.reason;
  return of_node;
}

WriterRights::WriterRights(Rights* rights, const ResourceRequest& request)
    : rights_(rights),
      user_(request.user),
      caller_{.authorizer = *this,
              .user = request.user->name,
              .verb = std::string(VerbOf(request.verb)),
              .is_service_account = request.user->name.starts_with(access::kServiceAccount),
              .node_name = BoundNodeOf(request.user)} {}

std::optional<api::validation::AccessRefusal> WriterRights::Ask(
    const api::validation::AccessQuestion& question) const {
  if (rights_ == nullptr) return std::nullopt;
  access::Verdict verdict = rights_->Decide(user_,
                                            {.verb = question.verb,
                                             .group = "resource.k8s.io",
                                             .resource = std::string(question.resource),
                                             .subresource = std::string(question.subresource),
                                             .name = question.name,
                                             .namespace_ = question.namespace_});
  if (verdict.is_allowed) return std::nullopt;
  return api::validation::AccessRefusal{.reason = std::move(verdict.reason)};
}

Result<> CheckCreator(Rights* rights, const ResourceRequest& request) {
  if (rights == nullptr || request.verb == Verb::kCreate) return {};
  const Attributes asked = About(request, "create");
  const access::Verdict verdict = rights->Decide(request.user, asked);
  if (verdict.is_allowed) return {};
  return Fail(access::Forbidden(asked, request.user->name, verdict.reason));
}

Result<> CheckWriter(Rights* rights,
                     const ResourceRequest& request,
                     const api::Object& next,
                     const api::Object* old) {
  if (rights == nullptr || access::IsMaster(request.user)) return {};
  const Check check = CheckOf(next);
  if (check == nullptr) return {};
  return check(*rights->Current(), request, next, old);
}

}  // namespace dray::server::verbs::inline context
