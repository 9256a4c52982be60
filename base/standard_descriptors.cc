// SPDX-License-Identifier: Apache-2.0
#include "base/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/check.h"

namespace dray {

void HoldStandardDescriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // open returns the lowest free descriptor, which is this one. It is opened for the wrong
    // direction, so that its uses fail.
    const int held = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    DRAY_CHECK(held == fd || held < 0);  // without /dev/null it stays closed
  }
}

}  // namespace dray
