// SPDX-License-Identifier: Apache-2.0
// Who may do what: roles and bindings of rbac.authorization.k8s.io as a decision about a user and a
// request. Pure; whoever holds the objects asks. After Kubernetes' RBAC authoriser: what some rule
// allows is allowed, and there are no rules that forbid.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/rbac_v1.h"
#include "base/result.h"
#include "server/access/user.h"

namespace dray::server::access {

using Rule = api::rbac_v1::PolicyRule;
using Rules = std::vector<Rule>;

/// What is asked for: a resource, or a path that is none.
struct Attributes {
  std::string verb;  // "get", "deletecollection"; of paths the HTTP method in small letters
  std::string group = {}, resource = {}, subresource = {}, name = {};
  // NOLINTNEXTLINE(readability-identifier-naming): as in ObjectMeta
  std::string namespace_ = {};
  std::string path = {};            // not empty: it is no resource
  std::string field_selector = {};  // of lists, as it came
};

struct Verdict {
  bool is_allowed = false;
  std::string reason = {};  // who allows it, or what went wrong on the way; may be empty
};

/// Whether the rule allows it. A name that is asked for must be one of the rule's, if it has any.
bool Allows(const Rule& rule, const Attributes& asked);

/// The objects that a policy is made of.
struct PolicyObjects {
  std::vector<api::rbac_v1::Role> roles;
  std::vector<api::rbac_v1::ClusterRole> cluster_roles;
  std::vector<api::rbac_v1::RoleBinding> bindings;
  std::vector<api::rbac_v1::ClusterRoleBinding> cluster_bindings;
};

/// Immutable; safe from any thread.
class Policy {
 public:
  /// O(objects × log objects).
  explicit Policy(const PolicyObjects& objects);

  /// Members of system:masters may do everything. O(groups × log subjects + rules of the user).
  Verdict Decide(const User& user, const Attributes& asked) const;

  /// All rules that speak for `user` in `namespace_`, and everywhere.
  Rules RulesFor(const User& user, std::string_view namespace_) const;

  /// The rules of the role a binding in `namespace_` refers to.
  /// Errors: kNotFound.
  Result<Rules> RulesOf(const api::rbac_v1::RoleRef& ref, std::string_view namespace_) const;

 private:
  struct Grant {
    std::string words;                   // the binding, the role and the subject
    std::shared_ptr<const Rules> rules;  // null: there is no such role
    std::string missing;                 // and this is said then
  };
  using BySubject = std::map<std::string, std::vector<Grant>, std::less<>>;

  template <class Binding>
  void Add(const Binding& binding, std::string_view word, BySubject& grants);
  std::shared_ptr<const Rules> Find(const api::rbac_v1::RoleRef& ref,
                                    std::string_view namespace_) const;
  template <class F>
  void ForEach(const User& user, std::string_view namespace_, F&& visit) const;

  std::map<std::string, std::shared_ptr<const Rules>, std::less<>> roles_;  // "namespace/name"
  BySubject everywhere_;
  std::map<std::string, BySubject, std::less<>> in_namespace_;
};

/// What of `wanted` no rule of `held` covers, cut into its smallest parts.
Rules Uncovered(std::span<const Rule> held, std::span<const Rule> wanted);

/// Why `user`, who does not hold `missing`, may not give it to others: in upstream's words.
std::string EscalationText(const User& user, const Rules& missing);

bool IsMaster(const User& user);

}  // namespace dray::server::access
