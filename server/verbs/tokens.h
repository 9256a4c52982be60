// SPDX-License-Identifier: Apache-2.0
// Whose a bearer token is, and tokens for service accounts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "server/verbs/call.h"
#include "server/verbs/request.h"

namespace dray::server::verbs {

/// Seconds that a token may be asked for.
inline constexpr int64_t kTokenSecondsMin = 600;
inline constexpr int64_t kTokenSecondsMax = int64_t{1} << 32;
inline constexpr int64_t kTokenSecondsUsual = 3600;
/// Who asks for so many is a kubelet, for the volume that each pod has. Programs that read the file
/// once would be locked out after them: such a token, bound to a pod and for this server alone, is
/// good for a year, and says from when on it should have been read again.
inline constexpr int64_t kTokenSecondsOfVolumes = 3607;
inline constexpr int64_t kTokenSecondsExtended = int64_t{365} * 24 * 3600;
/// Bounds of Options::token_seconds_max.
inline constexpr int64_t kTokenSecondsCapMin = 3600;

struct TokenOwner {
  User user;
  std::vector<std::string> audiences;  // of those asked for, whom the token is good for
};

/// Whose a token of a service account is: this server issued it, it is good now for one of
/// `audiences` (none: for this server), and the account and what it was bound to are there.
///
/// Errors: kUnauthorized, in upstream's words where they may be told; without any when the token is
///         none that this server issued.
Result<TokenOwner> OwnerOfToken(const Core& core,
                                std::string_view token,
                                const std::vector<std::string>& audiences);

/// Create on "serviceaccounts/token".
Task<Outcome> IssueToken(Call call);

}  // namespace dray::server::verbs
