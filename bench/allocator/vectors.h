// SPDX-License-Identifier: Apache-2.0
// Thousands of small problems instead of a few shapes: is there one on which the peer is faster?
#pragma once

#include <string>

#include "base/result.h"
#include "bench/allocator/peer.h"

namespace dray::bench {

/// Measures every problem of the JSON Lines files in `folder` (../shared/vectors/allocator) that
/// the peer can run, here with the inventory warm and cold and there, and prints how often which
/// side is faster, and the worst problems. Those of v0.31.8 are of another API, and those on which
/// upstream crashes or does not end are left out. Errors: kInternalError  the folder cannot be
/// read, or the peer fails at once.
Result<> CompareOnVectors(const Peer& peer, const std::string& folder);

}  // namespace dray::bench
