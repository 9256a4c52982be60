// SPDX-License-Identifier: Apache-2.0
// The RBAC authorizer: decides by the roles and bindings that are stored now.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/object.h"
#include "api/validation/authorizer.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "server/access/rbac.h"
#include "server/verbs/context/request.h"
#include "store/store.h"

namespace dray::server::verbs::inline context {

/// Keeps the policy of the newest state. When a role or a binding changes, only the part of its
/// namespace is rebuilt, and only the changed objects are read. Thread-safe.
class Rights {
 public:
  /// `store` outlives it.
  explicit Rights(const store::Store& store) : store_(store) {}

  /// Decides by RBAC; nodes are also allowed what IsOfNode() gives them. O(1) for members of
  /// system:masters; else the cost of Policy::Decide, plus that of a new policy after a change.
  access::Verdict Decide(const User& user, const access::Attributes& asked);
  std::shared_ptr<const access::Policy> Current();

 private:
  void Learn(const store::Snapshot& snapshot) DRAY_REQUIRES(mutex_);

  const store::Store& store_;
  Mutex mutex_;
  Revision seen_ DRAY_GUARDED_BY(mutex_){0};
  std::shared_ptr<const access::Policy> policy_ DRAY_GUARDED_BY(mutex_);
};

/// Answers access questions of validation rules about the writer of an object.
class WriterRights final : public api::validation::Authorizer {
 public:
  /// The arguments outlive it; `rights` null: everything is allowed.
  WriterRights(Rights* rights, const ResourceRequest& request);

  std::optional<api::validation::AccessRefusal> Ask(
      const api::validation::AccessQuestion& question) const override;
  /// The writer, for those rules; null: every user may do everything.
  const api::validation::Caller* caller() const { return rights_ == nullptr ? nullptr : &caller_; }

 private:
  Rights* const rights_;
  const User& user_;
  const api::validation::Caller caller_;
};

/// Whether a change touches only what the garbage collector changes to release an object: owner
/// references and finalizers.
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

/// Checks that the requester of an update or an apply may create the object, which does not exist
/// yet. Errors: kForbidden.
Result<> CheckCreator(Rights* rights, const ResourceRequest& request);

/// Checks that the requester may store `next`: a user can grant only rights that the user has,
/// unless RBAC allows the verb "escalate" on the role or "bind" on it. Members of system:masters
/// may grant everything.
///
/// Errors: kForbidden, in upstream's words. kNotFound  a binding to a role that does not exist.
Result<> CheckWriter(Rights* rights,
                     const ResourceRequest& request,
                     const api::Object& next,
                     const api::Object* old);

}  // namespace dray::server::verbs::inline context
