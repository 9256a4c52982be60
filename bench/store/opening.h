// SPDX-License-Identifier: Apache-2.0
// How long a store in a file takes to open, and to list.
#pragma once

#include <string>

namespace dray::bench {

/// 100 000 live keys of 1 KiB after 1 000 000 revisions: how long opening takes, and a list of all.
void MeasureOpeningAndLists(const std::string& folder);

}  // namespace dray::bench
