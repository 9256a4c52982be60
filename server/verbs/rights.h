// SPDX-License-Identifier: Apache-2.0
// Who may do what, by the roles and bindings that are stored now.
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
#include "server/verbs/request.h"
#include "store/store.h"

namespace dray::server::verbs {

/// Keeps the policy of the newest state. When a role or a binding has changed, the part of its
/// namespace is made anew, of which only what has changed is read. Thread-safe.
class Rights {
 public:
  /// `store` outlives it.
  explicit Rights(const store::Store& store) : store_(store) {}

  /// O(1) for members of system:masters; else that of Policy::Decide, and of making a policy when
  /// there is a new one. Nodes may besides what IsOfNode allows.
  access::Verdict Decide(const User& user, const access::Attributes& asked);
  std::shared_ptr<const access::Policy> Current();

 private:
  void Learn(const store::Snapshot& snapshot) DRAY_REQUIRES(mutex_);

  const store::Store& store_;
  Mutex mutex_;
  Revision seen_ DRAY_GUARDED_BY(mutex_){0};
  std::shared_ptr<const access::Policy> policy_ DRAY_GUARDED_BY(mutex_);
};

/// Answers the questions that rules of validation ask about the writer of an object.
class WriterRights final : public api::validation::Authorizer {
 public:
  /// The arguments outlive it; `rights` null: everything is allowed.
  WriterRights(Rights* rights, const ResourceRequest& request);

  std::optional<api::validation::AccessRefusal> Ask(
      const api::validation::AccessQuestion& question) const override;
  /// Who writes, for those rules; null when everybody may do everything.
  const api::validation::Caller* caller() const { return rights_ == nullptr ? nullptr : &caller_; }

 private:
  Rights* const rights_;
  const User& user_;
  const api::validation::Caller caller_;
};

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

/// Whether the requester, who asked for something else (an update, a configuration to apply), may
/// create what is not there. Errors: kForbidden.
Result<> CheckCreator(Rights* rights, const ResourceRequest& request);

/// Whether the requester may store `next` as it is: nobody gives others rights that he does not
/// have himself, unless he may "escalate" the role, or "bind" it. True for members of
/// system:masters.
///
/// Errors: kForbidden, in upstream's words. kNotFound  a binding of a role that is not there.
Result<> CheckWriter(Rights* rights,
                     const ResourceRequest& request,
                     const api::Object& next,
                     const api::Object* old);

}  // namespace dray::server::verbs
