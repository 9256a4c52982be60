// SPDX-License-Identifier: Apache-2.0
// What the kernel is told about threads that share too few processors.
#pragma once

namespace dray {

/// For a thread that many others wait for, and that runs for a short time whenever it has something
/// to do: it goes before threads that compute as soon as it wakes up. It gets no larger share of
/// the processors. Linux 6.12 and later know how; else nothing changes.
void GoSoonAfterWaking();

/// For a thread that computes for long: it gets a third of the share of a usual one, as long as
/// both want the same processor.
void LetOthersGoFirst();

}  // namespace dray
