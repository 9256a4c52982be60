// SPDX-License-Identifier: Apache-2.0
// Which state a list or watch is to show, from its resourceVersion, resourceVersionMatch, limit and
// continue parameters (the table of the API conventions), and the continue tokens themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/release.h"
#include "base/result.h"
#include "server/verbs/request.h"

namespace dray::server::verbs {

/// The revision of a token that goes on at the newest state.
inline constexpr int64_t kInconsistent = -1;

struct ListPlan {
  uint64_t version = 0;  // at least this one; 0: the newest
  bool exactly = false;  // that one and no other
  int64_t limit = 0;     // 0: all
  std::string start;     // key of the first item after the collection's prefix; empty: the first
  std::string store;     // store::Status::id, of the store whose token this is; empty: unknown
};

/// What `options` mean in `release`. Lists of older releases that their cache could not answer went
/// to the store, which knows pages and has other words for a bad version.
///
/// Errors: kInvalid  parameters that exclude each other. kBadRequest  a bad token or version;
/// kUnknown where the release said so.
Result<ListPlan> PlanList(const ListOptions& options, api::Release release);

/// Checks the parameters of a watch; sendInitialEvents exists where WatchList is on by default:
/// in 1.32, and since 1.34. Errors: kInvalid as above.
Result<> CheckWatchOptions(const ListOptions& options, api::Release release);

/// Where a list goes on.
struct ContinueToken {
  int64_t revision = 0;
  std::string start;  // a key after the collection's prefix
  std::string store;  // store::Status::id; revisions of another store mean nothing in this one
};

/// The opaque form of `token`: upstream's, with the store as one more member, which upstream passes
/// over, as a token without it is taken here.
std::string EncodeContinue(const ContinueToken& token);

/// Errors: kBadRequest  not a token of ours.
Result<ContinueToken> DecodeContinue(std::string_view text);

}  // namespace dray::server::verbs
