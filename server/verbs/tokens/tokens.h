// SPDX-License-Identifier: Apache-2.0
// The owner of a bearer token, and tokens for service accounts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "server/verbs/context/call.h"
#include "server/verbs/context/request.h"

namespace dray::server::verbs::inline tokens {

/// Bounds and default of the lifetime that a client may request for a token, in seconds.
inline constexpr int64_t kTokenSecondsMin = 600;
inline constexpr int64_t kTokenSecondsMax = int64_t{1} << 32;
inline constexpr int64_t kTokenSecondsUsual = 3600;
/// The lifetime that kubelets request for the token volume of a pod. A program that reads the file
/// only once would lose access after it. So such a token, bound to a pod and for this server alone,
/// is valid for a year, and carries the time after which it should have been read again.
inline constexpr int64_t kTokenSecondsOfVolumes = 3607;
inline constexpr int64_t kTokenSecondsExtended = int64_t{365} * 24 * 3600;
/// Bounds of Options::token_seconds_max.
inline constexpr int64_t kTokenSecondsCapMin = 3600;

struct TokenOwner {
  User user;
  std::vector<std::string> audiences;  // the requested audiences for which the token is valid
};

/// The owner of a service account's token. The token is valid if this server issued it, the current
/// time is within its lifetime, it names one of `audiences` (empty: this server), and the account
/// and the object that it is bound to exist.
///
/// Errors: kUnauthorized, in upstream's words where upstream shows them; without a message when
///         this server did not issue the token.
Result<TokenOwner> OwnerOfToken(const Core& core,
                                std::string_view token,
                                const std::vector<std::string>& audiences);

/// Create on "serviceaccounts/token".
Task<Outcome> IssueToken(Call call);

}  // namespace dray::server::verbs::inline tokens
