// SPDX-License-Identifier: Apache-2.0
#include "base/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/check.h"

namespace dray {

void HoldStandardDescriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest that is free is taken: this one. It is open the wrong way round: uses of it fail.
    const int held = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    DRAY_CHECK(held == fd || held < 0);  // without /dev/null it stays as it is
  }
}

}  // namespace dray
