// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/rights.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rbac_v1.h"
#include "server/access/node_rules.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/node_limits.h"
#include "store/record.h"
#include "store/snapshot.h"

namespace dray::server::verbs {
namespace {

namespace rbac = api::rbac_v1;
using access::Attributes;
using access::Rules;

template <class T>
std::vector<T> All(const store::Snapshot& snapshot) {
  const api::KindInfo& kind = api::Reflected<T>::kKind;
  std::vector<T> all;
  for (const store::Record& record :
       snapshot.Range({.prefix = storage::ResourcePrefix(kind), .start_key = {}})) {
    const auto item = storage::ItemOf(storage::View::OfStorage(kind), record);
    if (item.has_value() && item->has_value()) all.push_back((*item)->object.template As<T>());
  }
  return all;
}

std::shared_ptr<const access::Policy> PolicyOf(const store::Snapshot& snapshot) {
  return std::make_shared<const access::Policy>(
      access::PolicyObjects{.roles = All<rbac::Role>(snapshot),
                            .cluster_roles = All<rbac::ClusterRole>(snapshot),
                            .bindings = All<rbac::RoleBinding>(snapshot),
                            .cluster_bindings = All<rbac::ClusterRoleBinding>(snapshot)});
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

Result<> RefuseUnless(const access::Policy& policy,
                      const ResourceRequest& request,
                      const api::Object& next,
                      const Rules& wanted) {
  const User& user = request.user;
  const Rules missing = access::Uncovered(policy.RulesFor(user, request.namespace_), wanted);
  if (missing.empty()) return {};
  return Fail(errors::Forbidden(
      *request.kind, next.metadata().name, access::EscalationText(user, missing)));
}

/// Whether a change is only what the garbage collector needs to let an object go.
template <class T>
bool IsOnlyLettingGo(const api::Object& next, const api::Object& old) {
  T now = next.As<T>();
  const T& before = old.As<T>();
  now.metadata.owner_references = before.metadata.owner_references;
  now.metadata.finalizers = before.metadata.finalizers;
  now.metadata.managed_fields = before.metadata.managed_fields;
  now.metadata.resource_version = before.metadata.resource_version;
  return now == before;
}

/// What a role gives. One whose rules come from others may give anything.
template <class T>
Rules RulesIn(const T& role) {
  Rules rules(role.rules.begin(), role.rules.end());
  if constexpr (requires { role.aggregation_rule; }) {
    if (!role.aggregation_rule.has_value()) return rules;
    rbac::PolicyRule resources;
    resources.verbs = {"*"};
    resources.api_groups = {"*"};
    resources.resources = {"*"};
    rbac::PolicyRule paths;
    paths.verbs = {"*"};
    paths.non_resource_urls = {"*"};
    rules = {std::move(resources), std::move(paths)};
  }
  return rules;
}

template <class T>
Result<> CheckRole(const access::Policy& policy,
                   const ResourceRequest& request,
                   const api::Object& next,
                   const api::Object* old) {
  const auto& role = next.As<T>();
  if (old != nullptr && IsOnlyLettingGo<T>(next, *old)) return {};
  if (policy.Decide(request.user, About(request, "escalate")).is_allowed) return {};
  return RefuseUnless(policy, request, next, RulesIn(role));
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
  DRAY_TRY(const Rules wanted, policy.RulesOf(binding.role_ref, request.namespace_));
  return RefuseUnless(policy, request, next, wanted);
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

bool Rights::HasChanged(Revision newest) const {
  if (policy_ == nullptr) return true;
  for (const api::KindInfo* kind : {&api::Reflected<rbac::Role>::kKind,
                                    &api::Reflected<rbac::ClusterRole>::kKind,
                                    &api::Reflected<rbac::RoleBinding>::kKind,
                                    &api::Reflected<rbac::ClusterRoleBinding>::kKind}) {
    const auto batch = store_.EventsAfter(seen_, storage::ResourcePrefix(*kind), 1);
    if (!batch.has_value() || !batch->events.empty() || batch->through < newest) return true;
  }
  return false;
}

std::shared_ptr<const access::Policy> Rights::Current() {
  const Frozen<store::Snapshot> snapshot = store_.Read();
  const MutexLock lock(mutex_);
  if (policy_ != nullptr && snapshot->revision() <= seen_) return policy_;
  if (HasChanged(snapshot->revision())) policy_ = PolicyOf(*snapshot);
  seen_ = snapshot->revision();
  return policy_;
}

access::Verdict Rights::Decide(const User& user, const Attributes& asked) {
  if (access::IsMaster(user)) return {.is_allowed = true};
  const std::shared_ptr<const access::Policy> policy = Current();
  access::Verdict verdict = policy->Decide(user, asked);
  const std::optional<std::string_view> node = access::NodeOf(user);
  if (verdict.is_allowed || !node.has_value()) return verdict;
  rbac::RoleRef ref;
  ref.kind = "ClusterRole";
  ref.name = "system:node";
  const Result<Rules> usual = policy->RulesOf(ref, "");
  access::Verdict of_node = access::DecideForNode(
      *node,
      asked,
      [&] { return IsOfNode(*store_.Read(), *node, asked); },
      usual.has_value() ? *usual : Rules());
  if (!of_node.reason.empty() && !verdict.reason.empty()) of_node.reason += ", ";
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

Result<> CheckWriter(Rights* rights,
                     const ResourceRequest& request,
                     const api::Object& next,
                     const api::Object* old) {
  if (rights == nullptr || access::IsMaster(request.user)) return {};
  DRAY_TRY_VOID(CheckNodeWrites(request, next, old));
  const Check check = CheckOf(next);
  if (check == nullptr) return {};
  return check(*rights->Current(), request, next, old);
}

}  // namespace dray::server::verbs
