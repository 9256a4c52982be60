// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/requests/callback_thread.h"

#include <functional>
#include <optional>
#include <utility>

#include "base/check.h"

namespace dray::store::etcd::requests {

void CallbackThread::Post(std::move_only_function<void()> answer) {
  const bool posted = queue_.TryPush(std::move(answer));
  DRAY_CHECK(posted);
}

void CallbackThread::Close() {
  queue_.Close();
  if (thread_.joinable()) thread_.join();
}

void CallbackThread::Run() {
  while (std::optional<std::move_only_function<void()>> answer = queue_.Pop()) (*answer)();
}

}  // namespace dray::store::etcd::requests
