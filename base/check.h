// SPDX-License-Identifier: Apache-2.0
// DRAY_CHECK: a condition that only a bug can break. Always on; prints and aborts. Never use it on
// a value that a client, a file or the network can choose; return a Result for those.
#pragma once

#include "base/check_failed.h"

#define DRAY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::dray::CheckFailed(#condition, __FILE__, __LINE__))
