// SPDX-License-Identifier: Apache-2.0
// One selector on many devices.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/work.h"
#include "cel/batch/batch_plan.h"
#include "cel/batch/device_table.h"
#include "cel/batch/scan.h"
#include "cel/selector.h"

namespace dray::cel::batch {

/// Leaves of several columns: the most combinations of their values that are numbered.
inline constexpr size_t kCombinationsMax = size_t{1} << 16U;

/// A selector prepared for tables. Immutable; for any number of threads.
///
/// It agrees with Selector::Evaluate on every device: each part of the expression is evaluated by
/// the same evaluator, once for each different value of the columns it reads; the codes of the
/// devices say which of these outcomes is theirs. Parts that read more than a few columns are
/// evaluated once per shape of device, and so is the whole selector if it might come near its
/// limits.
class BatchSelector {
 public:
  explicit BatchSelector(Selector selector);

  /// Sets `out` to the devices of `table` that match and to those on which evaluation fails.
  /// Returns a bound: no device of the table costs more. Takes O(different values) evaluations and
  /// a few passes over the codes; `out` keeps its memory.
  ///
  /// `work`: of all evaluations together. When it is spent the answer is not known, and all devices
  /// that were not decided fail.
  uint64_t Evaluate(const DeviceTable& table, Outcomes& out, Work& work) const;
  /// The same without such a limit.
  uint64_t Evaluate(const DeviceTable& table, Outcomes& out) const;

  /// The exact answer on one device: text of the error, cost.
  Evaluation EvaluateLane(const DeviceTable& table, size_t lane) const;

  const Selector& selector() const { return selector_; }
  /// The tables that it can be evaluated on must cover these.
  const PartsRead& reads() const { return reads_; }

 private:
  /// Each shape of device by itself.
  uint64_t EvaluateWhole(const DeviceTable& table, Outcomes& out, Work& work) const;

  Selector selector_;
  std::vector<BatchNode> plan_;
  PartsRead reads_;
};

}  // namespace dray::cel::batch
