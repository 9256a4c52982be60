// SPDX-License-Identifier: Apache-2.0
// A bounded queue between threads in which no owner waits behind the work of another one: each
// owner has a line of its own, and the lines take turns.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"

namespace dray {

/// Many producers, many consumers. What has no owner comes first, in the order it was put in.
template <class T>
class FairQueue {
 public:
  struct Limits {
    size_t capacity = 0;  // of all lines together
    size_t line = 0;      // elements of one owner that wait
    size_t at_once = 1;   // of one owner that were taken and are not done
  };
  struct Taken {
    T value;
    std::string owner;  // for Done
  };

  explicit FairQueue(Limits limits) : limits_(limits) {}

  /// False when full or closed: the caller decides what that means.
  [[nodiscard]] bool TryPush(T value, std::string_view owner = {}) {
    {
      const MutexLock lock(mutex_);
      if (closed_ || size_ >= limits_.capacity) return false;
      if (owner.empty()) {
        first_.push_back(std::move(value));
      } else {
        Line& line = lines_[std::string(owner)];
        if (line.waiting.size() >= limits_.line) return false;
        std::list<std::string> turn = TurnOf(line, owner);
        line.waiting.push_back(std::move(value));
        turns_.splice(turns_.end(), turn);
      }
      ++size_;
    }
    filled_.NotifyOne();  // who wakes up finds the lock free
    return true;
  }

  /// Adds the rest of running work before all work that waits in its owner's line. Neither capacity
  /// nor line limits it, because the caller limits the running requests. False when closed.
  [[nodiscard]] bool TryPushRest(T value, std::string_view owner) {
    {
      const MutexLock lock(mutex_);
      if (closed_) return false;
      if (owner.empty()) {
        first_.push_front(std::move(value));
      } else {
        Line& line = lines_[std::string(owner)];
        std::list<std::string> turn = TurnOf(line, owner);
        line.waiting.push_front(std::move(value));
        turns_.splice(turns_.end(), turn);
      }
      ++size_;
    }
    filled_.NotifyOne();
    return true;
  }

  /// Waits for an element whose owner has not too many at once; nothing once the queue is closed
  /// and empty. Each is followed by Done, when what it is has been done.
  std::optional<Taken> Pop() {
    const MutexLock lock(mutex_);
    while (true) {
      if (std::optional<Taken> next = Take()) return next;
      if (closed_ && size_ == 0) return std::nullopt;
      filled_.Wait(mutex_);
    }
  }

  /// The next element, if there is one now.
  std::optional<Taken> TryPop() {
    const MutexLock lock(mutex_);
    return Take();
  }

  void Done(const std::string& owner) {
    if (owner.empty()) return;
    {
      const MutexLock lock(mutex_);
      const auto line = lines_.find(owner);
      --line->second.at_work;
      if (line->second.at_work == 0 && line->second.waiting.empty()) lines_.erase(line);
    }
    filled_.NotifyAll();  // the owner's next, and the end of a closed queue
  }

  /// Refuses further elements and wakes all consumers; what is queued can still be taken.
  void Close() {
    const MutexLock lock(mutex_);
    closed_ = true;
    filled_.NotifyAll();
  }

  size_t size() const {
    const MutexLock lock(mutex_);
    return size_;
  }

 private:
  struct Line {
    std::deque<T> waiting;
    size_t at_work = 0;
  };

  // The turn that a line needs for its first element. Made before the element is put in, so that a
  // failed allocation leaves the queue as it was.
  static std::list<std::string> TurnOf(const Line& line, std::string_view owner) {
    std::list<std::string> turn;
    if (line.waiting.empty()) turn.emplace_back(owner);
    return turn;
  }

  // O(owners that have too many at once).
  std::optional<Taken> Take() DRAY_REQUIRES(mutex_) {
    if (!first_.empty()) {
      std::optional<Taken> next(Taken{.value = std::move(first_.front()), .owner = {}});
      first_.pop_front();
      --size_;
      return next;
    }
    auto turn = turns_.begin();
    while (turn != turns_.end() && lines_.find(*turn)->second.at_work >= limits_.at_once) ++turn;
    if (turn == turns_.end()) return std::nullopt;
    std::string owner = std::move(*turn);
    turns_.erase(turn);
    Line& line = lines_.find(owner)->second;
    std::optional<Taken> next(Taken{.value = std::move(line.waiting.front()), .owner = owner});
    line.waiting.pop_front();
    ++line.at_work;
    --size_;
    if (!line.waiting.empty()) turns_.push_back(std::move(owner));
    return next;
  }

  const Limits limits_;
  mutable Mutex mutex_;
  Condition filled_;
  std::deque<T> first_ DRAY_GUARDED_BY(mutex_);
  std::map<std::string, Line, std::less<>> lines_ DRAY_GUARDED_BY(mutex_);
  std::list<std::string> turns_ DRAY_GUARDED_BY(mutex_);  // owners of what waits
  size_t size_ DRAY_GUARDED_BY(mutex_) = 0;
  bool closed_ DRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace dray
