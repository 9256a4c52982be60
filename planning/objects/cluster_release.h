// SPDX-License-Identifier: Apache-2.0
// Which patch release of Kubernetes a cluster runs, as far as that is known.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dray::planning::inline objects {

struct ClusterRelease {
  int minor = 0;  // 0: not known
  std::optional<int> patch = {};
  bool is_of_vendor = false;  // v1.34.2-gke.1: the vendor may have backported fixes

  /// "1.36.1", "1.36"; empty: not known.
  std::string ToString() const;
};

/// Parses "v1.36.1", "1.36", "v1.34.2-gke.1"; unknown for anything else.
ClusterRelease ReleaseIn(std::string_view version);

}  // namespace dray::planning::inline objects
