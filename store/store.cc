// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <cstddef>
#include <cstdint>
#include <future>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "base/world.h"

namespace dray::store {

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

Result<size_t> Store::ExpireDueAndWait(WallTime now, size_t max) {
  std::promise<Result<size_t>> answer;
  std::future<Result<size_t>> deleted = answer.get_future();
  ExpireDue(now, max, [answer = std::move(answer)](Result<size_t> result) mutable {
    answer.set_value(std::move(result));
  });
  return deleted.get();
}

}  // namespace dray::store
