// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/shared_folder.h"

#include <cstdlib>

namespace dray::vectors {

std::string SharedFolder() {
  const char* chosen = std::getenv("DRAY_SHARED");  // NOLINT(concurrency-mt-unsafe): one thread
  return chosen != nullptr ? chosen : DRAY_SOURCE_DIR "/../shared";
}

}  // namespace dray::vectors
