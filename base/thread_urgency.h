// SPDX-License-Identifier: Apache-2.0
// Scheduling hints to the kernel for threads that share too few processors.
#pragma once

namespace dray {

/// For a thread that many others wait for, and that runs only for a short time after each wake-up.
/// It preempts threads that compute as soon as it wakes up. Its share of the processors does not
/// grow. Needs Linux 6.12 or later; on older kernels nothing changes.
void GoSoonAfterWaking();

/// For a thread that computes for a long time: it gets a third of a usual share while both want the
/// same processor.
void LetOthersGoFirst();

}  // namespace dray
