// SPDX-License-Identifier: Apache-2.0
// Who asks, as authentication found.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dray::server::access {

struct User {
  std::string name, uid;
  std::vector<std::string> groups;
  /// Further facts, several values for each key.
  std::map<std::string, std::vector<std::string>> extra = {};
  bool operator==(const User&) const = default;
};

inline constexpr std::string_view kAnonymous = "system:anonymous";
inline constexpr std::string_view kAuthenticated = "system:authenticated";
inline constexpr std::string_view kUnauthenticated = "system:unauthenticated";
/// Whoever is in it may do everything.
inline constexpr std::string_view kMasters = "system:masters";
inline constexpr std::string_view kServiceAccount = "system:serviceaccount:";
inline constexpr std::string_view kServiceAccounts = "system:serviceaccounts";

// Keys of User::extra.
inline constexpr std::string_view kNodeName = "authentication.kubernetes.io/node-name";
inline constexpr std::string_view kCredentialId = "authentication.kubernetes.io/credential-id";

}  // namespace dray::server::access
