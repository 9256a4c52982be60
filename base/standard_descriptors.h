// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dray {

/// Fills those of the descriptors 0, 1 and 2 that are closed at the start of the process (`dray …
/// >&-`), so that each use of them fails. Otherwise the next file opened would get such a
/// descriptor and receive printed output. Call this first in main.
void HoldStandardDescriptors();

}  // namespace dray
