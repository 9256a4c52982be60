// SPDX-License-Identifier: Apache-2.0
// Compares thousands of small problems instead of a few shapes, to find one on which the peer is
// faster.
#pragma once

#include <string>

#include "base/result.h"
#include "bench/allocator/peer.h"

namespace dray::bench {

/// Measures every problem of the JSON Lines files in `folder` (../shared/vectors/allocator) that
/// the peer can run: here with a warm and a cold inventory, and in the peer. Prints how often each
/// side is faster, and the worst problems. Leaves out those of v0.31.8, which are of another API,
/// and those on which upstream crashes or does not end. Errors: kInternalError  the folder cannot
/// be read, or the peer fails at once.
Result<> CompareOnVectors(const Peer& peer, const std::string& folder);

}  // namespace dray::bench
