// SPDX-License-Identifier: Apache-2.0
// Whether work would fit into a cluster after changes: what dray whatif and the dashboard ask.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "cli/input/offline_input.h"
#include "cli/questions/what_if_changes.h"
#include "cli/reports/what_if_report.h"
#include "dray/budget.h"
#include "planning/whatif/what_if.h"

namespace dray::cli::inline questions {

struct WorkQuestion {
  bool has_work = false;                             // work is named, though it may hold no pod
  std::string_view work_source = "the files of -f";  // what names it
  std::optional<size_t> replicas = {};  // of each pod of the work, and of each workload
  bool max = false;                     // report how often the work fits
  bool defragment = false;
  bool lists_devices = false;                               // find WhatIfAnswer::devices
  std::vector<Change> changes = {};                         // in this order
  size_t pods_max = std::numeric_limits<size_t>::max();     // of the work
  size_t nodes_max = std::numeric_limits<size_t>::max();    // that changes add
  size_t objects_max = std::numeric_limits<size_t>::max();  // in the manifests of a change
};

/// How a question is answered.
struct WorkSearch {
  const std::atomic<bool>* cancelled = nullptr;  // ends the search early; null: never
  allocator::SharedWork* work = nullptr;         // of all searches
  std::function<void(std::string)> note;         // called with each remark about the input
  std::function<void(std::string_view what)> now = [](std::string_view) {};  // a step begins
};

/// Decides about the work of `input` (OfflineInput::work, also among its objects). `options` give
/// the node, the steps and allows_nothing. Absent: there is nothing to decide about, which
/// `options` allow and a note says.
///
/// Errors: kBadRequest  nothing is asked or waits, a change or the node is wrong, or there is too
/// much of something.
Result<std::optional<WhatIfAnswer>> PlanWork(World& world,
                                             const OfflineInputOptions& options,
                                             OfflineInput& input,
                                             const WorkQuestion& question,
                                             const WorkSearch& search);

}  // namespace dray::cli::inline questions
