// SPDX-License-Identifier: Apache-2.0
// The state that a list or watch shows, from its resourceVersion, resourceVersionMatch, limit and
// continue parameters (the table of the API conventions), and the continue tokens themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/release.h"
#include "base/result.h"
#include "server/verbs/context/request.h"

namespace dray::server::verbs::inline read {

/// The revision of a token whose list continues at the newest state.
inline constexpr int64_t kInconsistent = -1;

struct ListPlan {
  uint64_t version = 0;  // at least this one; 0: the newest
  bool exactly = false;  // this version and no other
  int64_t limit = 0;     // 0: all
  std::string start;     // key of the first item after the collection's prefix; empty: the first
  std::string store;     // store::Status::id of the store that made the token; empty: unknown
};

/// The plan for `options` in `release`. In older releases the watch cache passed some lists on to
/// etcd, which serves pages and words the error for a bad version differently.
///
/// Errors: kInvalid  parameters that exclude each other. kBadRequest  a bad token or version;
/// kUnknown instead in releases that return that.
Result<ListPlan> PlanList(const ListOptions& options, api::Release release);

/// Checks the parameters of a watch. sendInitialEvents exists where the gate WatchList is on by
/// default: in 1.32, and since 1.34. Errors: kInvalid as above.
Result<> CheckWatchOptions(const ListOptions& options, api::Release release);

/// The position at which a list continues.
struct ContinueToken {
  int64_t revision = 0;
  std::string start;  // a key after the collection's prefix
  std::string store;  // store::Status::id; revisions of another store mean nothing in this one
};

/// The opaque form of `token`: upstream's form plus a member for the store. Upstream ignores that
/// member, and DecodeContinue() accepts a token without it.
std::string EncodeContinue(const ContinueToken& token);

/// Errors: kBadRequest  `text` is not a token of this form.
Result<ContinueToken> DecodeContinue(std::string_view text);

}  // namespace dray::server::verbs::inline read
