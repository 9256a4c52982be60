// SPDX-License-Identifier: Apache-2.0
// The user of a request, as found by authentication.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/frozen.h"

namespace dray::server::access {

struct User {
  std::string name, uid;
  std::vector<std::string> groups;
  /// Extra values, several for each key.
  std::map<std::string, std::vector<std::string>> extra = {};
  bool operator==(const User&) const = default;
};

/// A user as requests carry it. Copies share one immutable object, so passing a request on copies
/// no texts. A default-constructed one is a User without a name.
class SharedUser {
 public:
  SharedUser() = default;
  SharedUser(User user)  // NOLINT(google-explicit-constructor): the same user
      : user_(std::make_shared<const User>(std::move(user))) {}
  explicit SharedUser(Frozen<User> user) : user_(std::move(user)) {}

  const User& operator*() const {
    static const User kNobody;
    return user_ == nullptr ? kNobody : *user_;
  }
  const User* operator->() const { return &**this; }
  operator const User&() const { return **this; }  // NOLINT(google-explicit-constructor)

 private:
  Frozen<User> user_;
};

inline constexpr std::string_view kAnonymous = "system:anonymous";
inline constexpr std::string_view kAuthenticated = "system:authenticated";
inline constexpr std::string_view kUnauthenticated = "system:unauthenticated";
/// Its members may do everything.
inline constexpr std::string_view kMasters = "system:masters";
inline constexpr std::string_view kServiceAccount = "system:serviceaccount:";
inline constexpr std::string_view kServiceAccounts = "system:serviceaccounts";

// Keys of User::extra.
inline constexpr std::string_view kNodeName = "authentication.kubernetes.io/node-name";
inline constexpr std::string_view kCredentialId = "authentication.kubernetes.io/credential-id";

}  // namespace dray::server::access
