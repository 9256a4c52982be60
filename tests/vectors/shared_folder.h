// SPDX-License-Identifier: Apache-2.0
// Where measured cases are that the repository does not have.
#pragma once

#include <string>

namespace dray::vectors {

/// DRAY_SHARED, or `shared` beside the repository; it may be absent. Precondition: one thread.
std::string SharedFolder();

}  // namespace dray::vectors
