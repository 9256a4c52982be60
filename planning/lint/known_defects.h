// SPDX-License-Identifier: Apache-2.0
// Defects of Kubernetes' releases that can be recognised in API objects: which releases have them,
// and which objects meet them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "planning/lint/defect_facts.h"
#include "planning/lint/lint_claims.h"
#include "planning/lint/lint_devices.h"
#include "planning/lint/lint_finding.h"
#include "planning/lint/lint_question.h"

namespace dray::planning::inline lint {

/// Patch releases of one minor release.
struct PatchRange {
  static constexpr int kAll = 999;  // as last: no patch release fixes it
  int minor = 0;
  int first = 0, last = kAll;
};

enum class DefectPart : uint8_t { kControlPlane, kKubelet };

struct KnownDefect {
  std::string_view issue;  // "kubernetes#138882"
  std::span<const PatchRange> in;
  std::string_view says;    // the defect, in a sentence
  std::string_view advice;  // a workaround until the fix
  std::string_view mended;  // "1.36.2 and 1.37.0"; empty: not fixed yet
  DefectSign sign;
  DefectPart part = DefectPart::kControlPlane;
};

/// All known defects, by component of Kubernetes.
std::span<const KnownDefect> KnownDefects();

/// The affected releases: "1.36.1", or "1.36.0 to 1.36.2" if the patch release is unknown; empty:
/// the release does not have the defect.
std::string ReleasesWith(const KnownDefect& defect, const ClusterRelease& release);

/// Adds one finding for each defect that an object meets, at the first such object.
/// O(defects × objects) signs.
void LintKnownDefects(const LintQuestion& question,
                      const ClassesByName& classes,
                      LintDevices& devices,
                      FindingList& findings);

}  // namespace dray::planning::inline lint
