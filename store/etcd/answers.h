// SPDX-License-Identifier: Apache-2.0
// The thread that calls back users of the store.
//
// Callbacks may do a lot (a server writes a response in one), so neither the thread that follows
// the watch nor gRPC's may be held up by them.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>

#include "base/bounded_queue.h"

namespace dray::store::etcd {

class Answers {
 public:
  /// `most`: how many can be under way; whoever posts has made sure of it.
  explicit Answers(size_t most) : queue_(most), thread_([this] { Run(); }) {}
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;
  /// As Close.
  ~Answers() { Close(); }

  void Post(std::move_only_function<void()> answer);

  /// Gives the answers that were posted, and ends. Again is harmless.
  void Close();

 private:
  void Run();

  BoundedQueue<std::move_only_function<void()>> queue_;
  std::jthread thread_;
};

}  // namespace dray::store::etcd
