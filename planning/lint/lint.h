// SPDX-License-Identifier: Apache-2.0
// Finds objects that the API accepts but that cannot work in a cluster. Values in, values out.
#pragma once

#include <vector>

#include "api/kind.h"
#include "planning/lint/lint_finding.h"
#include "planning/lint/lint_question.h"

namespace dray::planning::inline lint {

/// Returns findings by object, in the order of its fields; known defects come last. Claims that
/// have devices are checked only for their version and for known defects. O(devices) for each
/// different class and list of selectors, and for each constraint on them.
std::vector<Finding> Lint(const LintQuestion& question);

/// The newest served version of the kind; the kind itself if there is none newer.
const api::KindInfo& NewestVersion(const api::KindInfo& kind);

}  // namespace dray::planning::inline lint
