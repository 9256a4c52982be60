// SPDX-License-Identifier: Apache-2.0
#include "net/poller.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <system_error>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/check.h"
#include "base/descriptor.h"

namespace dray::net {
namespace {

constexpr uint32_t kEnd = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
constexpr uint32_t kReadable = EPOLLIN | kEnd;
constexpr uint32_t kWritable = EPOLLOUT | EPOLLHUP | EPOLLERR;
constexpr size_t kEventsAtOnce = 128;

int MustHave(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return descriptor;
}

class Epoll final : public Poller {
 public:
  Epoll()
      : epoll_(MustHave(epoll_create1(EPOLL_CLOEXEC), "epoll")),
        wake_up_(MustHave(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    const int error = Add(wake_up_.get(), nullptr);
    if (error != 0) throw std::system_error(error, std::generic_category(), "epoll");
  }

  int Watch(int descriptor, Waiter& waiter) override { return Add(descriptor, &waiter); }

  void Forget(int descriptor) override {
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  }

  Outcome Wait(std::span<Event> into, int timeout_ms) override {
    std::array<epoll_event, kEventsAtOnce>
        events;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const auto room = static_cast<int>(std::min(into.size(), kEventsAtOnce));
    const int count = epoll_wait(epoll_.get(), events.data(), room, timeout_ms);
    DRAY_CHECK(count >= 0 || errno == EINTR);
    Outcome outcome;
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      if (event.data.ptr == nullptr) {
        outcome.is_woken = true;
        continue;
      }
      into[outcome.count++] = {.waiter = static_cast<Waiter*>(event.data.ptr),
                               .ready = {.to_read = (event.events & kReadable) != 0,
                                         .to_write = (event.events & kWritable) != 0}};
    }
    return outcome;
  }

  void WakeUp() override {
    const uint64_t one = 1;
    ssize_t written = 0;
    do {
      written = write(wake_up_.get(), &one, sizeof one);
    } while (written < 0 && errno == EINTR);
    DRAY_CHECK(written == sizeof one);  // 2^64 - 1 wake-ups would be needed to fill the counter
  }

 private:
  int Add(int descriptor, Waiter* waiter) {
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.ptr = waiter}};
    return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
  }

  const Descriptor epoll_;
  // An eventfd that is never read: each write is an edge.
  const Descriptor wake_up_;
};

}  // namespace

std::unique_ptr<Poller> MakeEpoll() {
  return std::make_unique<Epoll>();
}

}  // namespace dray::net
