// SPDX-License-Identifier: Apache-2.0
// Finds an endpoint that answers, and reads many keys page by page at one revision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/strong.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd::rpc {

struct Found {
  size_t endpoint = 0;
  StatusAnswer status{};
};

/// Asks all endpoints at once and returns the first that answers. Later calls go to that endpoint.
///
/// Errors: kServiceUnavailable  none answers within `timeout`; the message has the reason for each.
Result<Found> FindEndpoint(Client& client, Timeout timeout);

struct PagesQuery {
  KeySpan keys{};
  std::optional<Revision> at{};  // the newest, if absent
  Timeout page_timeout{30'000};
};

/// Returns the number of keys to ask for next, after a page of `keys` keys that took `bytes`. A
/// page should have about kPageBytes, whatever the size of the values.
inline constexpr size_t kPageBytes = size_t{8} << 20U;
inline constexpr int64_t kFirstPageKeys = 500;
inline constexpr int64_t kPageKeysMax = 10'000;
int64_t NextPageKeys(int64_t asked, int64_t keys, size_t bytes);

/// Reads all `keys` at one revision, which is `newest` of the result. Passes them to `take` in
/// order, a page at a time, until `take` returns false. Blocks. Asks again a few times for a page
/// that is not answered.
Answer<RangeAnswer> ReadPages(Client& client,
                              const PagesQuery& query,
                              const std::function<bool(const std::vector<KeyValue>&)>& take);

}  // namespace dray::store::etcd::rpc
