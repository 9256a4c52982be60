// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/answers.h"

#include <functional>
#include <optional>
#include <utility>

#include "base/check.h"

namespace dray::store::etcd {

void Answers::Post(std::move_only_function<void()> answer) {
  const bool posted = queue_.TryPush(std::move(answer));
  DRAY_CHECK(posted);
}

void Answers::Close() {
  queue_.Close();
  if (thread_.joinable()) thread_.join();
}

void Answers::Run() {
  while (std::optional<std::move_only_function<void()>> answer = queue_.Pop()) (*answer)();
}

}  // namespace dray::store::etcd
