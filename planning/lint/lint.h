// SPDX-License-Identifier: Apache-2.0
// What the API accepts and cannot work in a cluster. Values in, values out.
#pragma once

#include <vector>

#include "api/kind.h"
#include "planning/lint/lint_finding.h"
#include "planning/lint/lint_question.h"

namespace dray::planning::inline lint {

/// By object, in the order of its fields; known defects last. Claims that have their devices are
/// looked at for their version and for known defects only. O(devices) for each different class and
/// selectors, and for each constraint on them.
std::vector<Finding> Lint(const LintQuestion& question);

/// The newest version of the kind that is served; itself when there is none newer.
const api::KindInfo& NewestVersion(const api::KindInfo& kind);

}  // namespace dray::planning::inline lint
