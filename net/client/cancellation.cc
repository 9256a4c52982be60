// SPDX-License-Identifier: Apache-2.0
#include "net/client/cancellation.h"

#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/result.h"

namespace dray::net::client {

Result<std::shared_ptr<Cancellation>> Cancellation::Create() {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0)
    return Fail(StatusReason::kServiceUnavailable, std::generic_category().message(errno));
  return std::shared_ptr<Cancellation>(new Cancellation(descriptor));
}

Cancellation::~Cancellation() {
  close(descriptor_);
}

void Cancellation::Cancel() const {
  // Never read again, so it stays readable and every waiter sees it.
  const uint64_t one = 1;
  while (write(descriptor_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

bool Cancellation::cancelled() const {
  pollfd descriptor{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return poll(&descriptor, 1, 0) == 1;
}

}  // namespace dray::net::client
