// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <cstddef>
#include <cstdint>
#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/world.h"

namespace dray::store {

size_t FenceSlot(std::string_view name) {
  // FNV-1a without a seed, because the servers of one etcd must agree.
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : name) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3U;
  }
  return hash % kFenceSlots;
}

std::string IdText(uint64_t id) {
  return fmt::format("{:016x}", id);
}

Result<CommitOutcome> Store::CommitAndWait(Txn txn) {
  std::promise<Result<CommitOutcome>> answer;
  std::future<Result<CommitOutcome>> outcome = answer.get_future();
  Commit(std::move(txn), [answer = std::move(answer)](Result<CommitOutcome> result) mutable {
    answer.set_value(std::move(result));
  });
  return outcome.get();
}

void Store::CommitSteps(std::vector<Step> steps) {
  for (Step& step : steps) {
    step.done(Fail(StatusReason::kMethodNotAllowed, "this store carries out no steps"));
  }
}

Result<size_t> Store::ExpireDueAndWait(WallTime now, size_t max) {
  std::promise<Result<size_t>> answer;
  std::future<Result<size_t>> deleted = answer.get_future();
  ExpireDue(now, max, [answer = std::move(answer)](Result<size_t> result) mutable {
    answer.set_value(std::move(result));
  });
  return deleted.get();
}

}  // namespace dray::store
