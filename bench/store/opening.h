// SPDX-License-Identifier: Apache-2.0
// The time to open a store in a file, and to list it.
#pragma once

#include <string>

namespace dray::bench {

/// Prints the time to open a store with 100 000 live keys of 1 KiB after 1 000 000 revisions, and
/// to list all keys.
void MeasureOpeningAndLists(const std::string& folder);

}  // namespace dray::bench
