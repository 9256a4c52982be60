// SPDX-License-Identifier: Apache-2.0
// What the API accepts and cannot work in a cluster. Values in, values out.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/published.h"
#include "cel/selector_cache.h"
#include "dray/features.h"
#include "planning/lint_finding.h"

namespace dray::planning {

struct LintObject {
  api::Object object;            // as it is stored
  const api::KindInfo* written;  // the version in which it was given
};

struct LintQuestion {
  std::span<const LintObject> objects;  // to be looked at
  // The cluster. Without slices, or classes, what needs them is left out.
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;  // with the taints of rules
  std::span<const Frozen<api::resource_v1::DeviceClass>> classes;
  allocator::Features features = {};
  cel::SelectorCache& selectors;
};

/// By object, in the order of its fields. Claims that have their devices, and objects of other
/// kinds than claims, templates and classes, are looked at for their version only. O(devices) for
/// each different class and selectors, and for each constraint on them.
std::vector<Finding> Lint(const LintQuestion& question);

/// The newest version of the kind that is served; itself when there is none newer.
const api::KindInfo& NewestVersion(const api::KindInfo& kind);

}  // namespace dray::planning
