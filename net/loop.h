// SPDX-License-Identifier: Apache-2.0
// The Asio loop and the timers of one Reactor. For the parts of net/ that wait for sockets.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/mutex.h"

namespace dray::net {

class Loop {
 public:
  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      context.get_executor()};
  std::atomic<std::thread::id> thread;

  struct Alarm {
    boost::asio::steady_timer timer;
    std::function<void()> function;
  };
  /// What was posted and not begun; who finds it empty wakes the thread, so that a batch is one
  /// wake-up.
  Mutex posted_mutex;
  std::vector<std::move_only_function<void()>> posted DRAY_GUARDED_BY(posted_mutex);
  std::vector<std::move_only_function<void()>> running;  // the thread's; empty between batches
  /// An eventfd that wakes the thread. Asio's own way holds the lock of its queue while it asks the
  /// kernel, and the thread that wakes up waits for that lock.
  boost::asio::posix::stream_descriptor wake_up{context};
  uint64_t wake_ups = 0;        // what was read from it
  bool awaits_wake_up = false;  // the thread's: it is being read

  std::map<uint64_t, Alarm> alarms;
  uint64_t next_alarm = 1;
};

}  // namespace dray::net
