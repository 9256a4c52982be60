// SPDX-License-Identifier: Apache-2.0
// Authorizer: how validation asks whether the caller may change certain parts of a status
// (KEP-6106).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dray::api::validation {

/// An access review: may the caller `verb` this resource?
struct AccessQuestion {
  std::string verb;  // update, or with a prefix: arbitrary-node:update
  std::string_view resource;
  std::string_view subresource;
  // NOLINTNEXTLINE(readability-identifier-naming): as in ObjectMeta
  std::string namespace_ = {};  // empty: cluster-wide
  std::string name = {};        // empty: all names
};

/// Why an authorizer refuses; the reason may be empty.
struct AccessRefusal {
  std::string reason;
};

/// Decides about the rights of one user. Called from any thread.
class Authorizer {
 public:
  virtual ~Authorizer() = default;
  /// Returns nothing if the user has the right.
  virtual std::optional<AccessRefusal> Ask(const AccessQuestion& question) const = 0;
};

/// The writer of an object, and the authorizer that knows its rights.
struct Caller {
  const Authorizer& authorizer;
  std::string user;
  std::string verb;  // of the request: update or patch
  bool is_service_account = false;
  /// The node a service account's token is bound to (authentication.kubernetes.io/node-name).
  std::string node_name = {};
};

}  // namespace dray::api::validation
