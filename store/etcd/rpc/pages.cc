// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/pages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd::rpc {
namespace {

constexpr int kPageTries = 3;

/// The answers of the endpoints so far. Outlives the waiting thread, because late answers still
/// come.
struct Poll {
  Mutex mutex;
  Condition changed;
  std::optional<Found> found DRAY_GUARDED_BY(mutex);
  std::vector<std::string> failures DRAY_GUARDED_BY(mutex);
};

/// Whether asking again may help. It does no harm, because the calls change nothing.
bool IsPassing(const CallFailure& failure) {
  return failure.kind == CallFailure::Kind::kNotSent ||
         failure.kind == CallFailure::Kind::kUnanswered ||
         failure.kind == CallFailure::Kind::kNoLeader ||
         failure.kind == CallFailure::Kind::kOverloaded;
}

}  // namespace

Result<Found> FindEndpoint(Client& client, Timeout timeout) {
  const auto poll = std::make_shared<Poll>();
  const size_t count = client.endpoint_count();
  for (size_t i = 0; i < count; ++i) {
    client.StatusAt(i, timeout, [poll, i](Answer<StatusAnswer> answer) {
      const MutexLock lock(poll->mutex);
      if (!answer.has_value()) {
        poll->failures.push_back(answer.error().message);
      } else if (!poll->found.has_value()) {
        poll->found = Found{.endpoint = i, .status = *std::move(answer)};
      }
      poll->changed.NotifyAll();
    });
  }
  const MutexLock lock(poll->mutex);
  while (!poll->found.has_value() && poll->failures.size() < count) poll->changed.Wait(poll->mutex);
  if (const std::optional<Found> found = poll->found; found.has_value()) {
    client.Prefer(found->endpoint);
    return *found;
  }
  return Fail(StatusReason::kServiceUnavailable,
              fmt::format("{}", fmt::join(poll->failures, "; ")));
}

int64_t NextPageKeys(int64_t asked, int64_t keys, size_t bytes) {
  if (keys == 0) return asked;
  const size_t key_bytes = std::max<size_t>(1, bytes / static_cast<size_t>(keys));
  const auto fitting = static_cast<int64_t>(kPageBytes / key_bytes);
  // Grows slowly, because the next values may be larger.
  return std::clamp<int64_t>(std::min(fitting, asked * 2), 1, kPageKeysMax);
}

Answer<RangeAnswer> ReadPages(Client& client,
                              const PagesQuery& query,
                              const std::function<bool(const std::vector<KeyValue>&)>& take) {
  RangeQuery page{.keys = query.keys, .limit = kFirstPageKeys, .at = query.at};
  int tries_left = kPageTries;
  while (true) {
    Answer<RangeAnswer> answer = client.RangeAndWait(page, query.page_timeout);
    if (!answer.has_value()) {
      if (--tries_left > 0 && IsPassing(answer.error())) continue;
      return answer;
    }
    tries_left = kPageTries;
    // All other pages are read at the revision of the first page.
    if (!page.at.has_value()) page.at = answer->newest;
    answer->newest = *page.at;
    const bool more = answer->more && !answer->kvs.empty();
    if (more) page.keys.first = answer->kvs.back().key + '\0';
    page.limit = NextPageKeys(page.limit, static_cast<int64_t>(answer->kvs.size()), answer->bytes);
    if (!take(answer->kvs) || !more) return answer;
  }
}

}  // namespace dray::store::etcd::rpc
