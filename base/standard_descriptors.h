// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dray {

/// Of the descriptors 0, 1 and 2, those that the process was started without (`dray … >&-`) fail at
/// every use from now on; otherwise the next file that is opened would take their place, and get
/// what is printed. The first thing that a program does.
void HoldStandardDescriptors();

}  // namespace dray
