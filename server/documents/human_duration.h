// SPDX-License-Identifier: Apache-2.0
// Durations in a form for people.
#pragma once

#include <cstdint>
#include <string>

namespace dray::server::documents {

/// A duration in kubectl's form: 5s, 3m10s, 4h12m, 2d3h, 17d.
std::string HumanDuration(int64_t seconds);

}  // namespace dray::server::documents
