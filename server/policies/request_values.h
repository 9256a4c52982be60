// SPDX-License-Identifier: Apache-2.0
// What the expressions of policies and webhooks see of one request.
#pragma once

#include "cel/value/arena.h"
#include "cel/value/authorization.h"
#include "server/access/user.h"
#include "server/policies/admission_request.h"
#include "server/policies/expressions.h"
#include "server/policies/match.h"
#include "server/policies/surroundings.h"

namespace dray::server::policies {

/// Answers what expressions ask with `authorizer`.
class Authorizer final : public cel::AuthorizationSource {
 public:
  /// Both outlive it.
  Authorizer(const Surroundings& surroundings, const access::User& user)
      : surroundings_(surroundings), user_(user) {}

  cel::AuthorizationAnswer Ask(const cel::AuthorizationQuestion& question) const override;

 private:
  const Surroundings& surroundings_;
  const access::User& user_;
};

class RequestValues {
 public:
  /// Request and surroundings outlive it, and it outlives the arenas.
  RequestValues(const AdmissionRequest& request, const Surroundings& surroundings)
      : request_(request), authorizer_(surroundings, *request.user) {}

  /// All variables but the parameter, where a rule matched so. O(size of the objects).
  Variables For(const Match& match, cel::Arena& arena) const;

 private:
  const AdmissionRequest& request_;
  const Authorizer authorizer_;
};

}  // namespace dray::server::policies
