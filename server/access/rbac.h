// SPDX-License-Identifier: Apache-2.0
// RBAC: decides about a user and a request by roles and bindings of rbac.authorization.k8s.io.
// Pure; the caller holds the objects. As in Kubernetes' RBAC authoriser, a request is allowed if
// any rule allows it, and no rule can deny.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/rbac_v1.h"
#include "base/result.h"
#include "base/strong.h"
#include "server/access/escalation.h"
#include "server/access/rule_index.h"
#include "server/access/user.h"

namespace dray::server::access {

/// The request to decide about: a resource, or a path outside of all resources.
struct Attributes {
  std::string verb;  // "get", "deletecollection"; for paths the HTTP method in lower case
  std::string group = {}, resource = {}, subresource = {}, name = {};
  // NOLINTNEXTLINE(readability-identifier-naming): as in ObjectMeta
  std::string namespace_ = {};
  std::string path = {};            // not empty: a path instead of a resource
  std::string field_selector = {};  // of lists, as it came
};

struct Verdict {
  bool is_allowed = false;
  std::string reason = {};  // the rule that allows it, or errors on the way; may be empty
};

/// Whether a rule allows it. If the rule has names, the requested name must be one of them.
bool Allows(const RuleIndex& rules, const Attributes& asked);

/// A role that a binding names and that does not exist.
struct MissingRole {
  std::string kind, name;
  bool operator==(const MissingRole&) const = default;
};
/// `<resource>.rbac.authorization.k8s.io "<name>" not found`, where the resource is usually the
/// kind in lower case.
std::string Words(const MissingRole& missing, std::string_view resource = {});

/// The objects that a policy is made of.
struct PolicyObjects {
  std::vector<api::rbac_v1::Role> roles;
  std::vector<api::rbac_v1::ClusterRole> cluster_roles;
  std::vector<api::rbac_v1::RoleBinding> bindings;
  std::vector<api::rbac_v1::ClusterRoleBinding> cluster_bindings;
};

/// A binding, with only the parts that decisions need.
struct KnownBinding {
  Revision modified{};
  std::string name;  // as reasons show it
  std::string role_kind, role_name;
  std::vector<api::rbac_v1::Subject> subjects;
};

/// Roles and bindings of one namespace; of the whole cluster in the part without a name. Immutable
/// once it is in a policy. A role is indexed once for each of its versions.
class PolicyPart {
 public:
  /// Reuses unchanged parts of `before`, which may be null.
  explicit PolicyPart(std::string namespace_name,
                      std::shared_ptr<const PolicyPart> before = nullptr)
      : namespace_name_(std::move(namespace_name)), before_(std::move(before)) {}

  /// Takes a role, or a binding, from `before` if it has the same version there; returns whether it
  /// did.
  bool KeepRole(const std::string& name, Revision modified);
  bool KeepBinding(const std::string& name, Revision modified);
  void AddRole(const std::string& name, Revision modified, std::span<const Rule> rules);
  template <class Binding>
  void AddBinding(const Binding& binding, Revision modified);
  /// Call it after the last role and binding. O(bindings, and subjects of those that share a table
  /// with a changed one): some thousand, for any number of other bindings.
  void Finish();

 private:
  friend class Policy;
  struct KnownRole {
    Revision modified{};
    std::shared_ptr<const RuleIndex> rules;
  };
  struct Grant {
    const KnownBinding* binding;
    const api::rbac_v1::Subject* subject;
  };

  /// For each role of a subject, only the first binding, because more bindings add nothing.
  using GrantTable = std::unordered_map<std::string, std::vector<Grant>>;

  size_t TablesFor(size_t subjects) const;
  std::vector<bool> ChangedTables(size_t tables) const;
  GrantTable TableOf(size_t number, size_t tables) const;

  std::string namespace_name_;
  std::shared_ptr<const PolicyPart> before_;
  std::map<std::string, KnownRole, std::less<>> roles_;
  std::map<std::string, std::shared_ptr<const KnownBinding>, std::less<>> bindings_;
  /// Each has the bindings whose names hash to it.
  std::vector<std::shared_ptr<const GrantTable>> tables_;
};

/// Immutable; safe from any thread.
class Policy {
 public:
  using Parts = std::map<std::string, std::shared_ptr<const PolicyPart>, std::less<>>;

  /// O(text of the objects × log).
  explicit Policy(const PolicyObjects& objects);
  explicit Policy(Parts parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }

  /// Members of system:masters may do everything. Checks the user's roles in the namespace one by
  /// one, each in O(log words + rules/32).
  Verdict Decide(const User& user, const Attributes& asked) const;

  /// The roles of `user` in `namespace_name` and in the whole cluster, each once. Adds roles that
  /// do not exist to `missing`, each once.
  Held RolesFor(const User& user,
                std::string_view namespace_name,
                std::vector<MissingRole>* missing = nullptr) const;

  /// The role that a binding in `namespace_name` refers to; null if it does not exist.
  std::shared_ptr<const RuleIndex> RoleOf(const api::rbac_v1::RoleRef& ref,
                                          std::string_view namespace_name) const;

 private:
  const PolicyPart* Part(std::string_view namespace_name) const;
  std::shared_ptr<const RuleIndex> Find(std::string_view kind,
                                        std::string_view name,
                                        std::string_view namespace_name) const;
  template <class F>
  void ForEach(const User& user, std::string_view namespace_name, F&& visit) const;

  Parts parts_;
};

bool IsMaster(const User& user);

}  // namespace dray::server::access
