// SPDX-License-Identifier: Apache-2.0
// The thread that runs the callbacks of the store's users.
//
// A callback may do a lot (a server writes a response in one), so it must block neither the thread
// that follows the watch nor those of gRPC.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>

#include "base/bounded_queue.h"

namespace dray::store::etcd::requests {

class CallbackThread {
 public:
  /// `most`: limit of callbacks that wait at once. The callers of Post must keep to it.
  explicit CallbackThread(size_t most) : queue_(most), thread_([this] { Run(); }) {}
  CallbackThread(const CallbackThread&) = delete;
  CallbackThread& operator=(const CallbackThread&) = delete;
  /// Calls Close.
  ~CallbackThread() { Close(); }

  void Post(std::move_only_function<void()> answer);

  /// Runs the callbacks posted so far, then ends the thread. May be called again.
  void Close();

 private:
  void Run();

  BoundedQueue<std::move_only_function<void()>> queue_;
  std::jthread thread_;
};

}  // namespace dray::store::etcd::requests
