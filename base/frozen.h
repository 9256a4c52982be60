// SPDX-License-Identifier: Apache-2.0
// Values that many threads may read because they are immutable.
#pragma once

#include <memory>

namespace dray {

/// An immutable value with shared ownership. Prefer this wherever two owners are needed.
template <class T>
using Frozen = std::shared_ptr<const T>;

}  // namespace dray
