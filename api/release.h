// SPDX-License-Identifier: Apache-2.0
// Kubernetes releases, by their minor version: 1.26 had the first resource.k8s.io, 1.37 is the
// newest.
#pragma once

#include <cstdint>

namespace dray::api {

/// The minor version of a release. kAny has the fields and kinds of all releases, under the rules
/// of the newest; Dray uses it unless it emulates a release.
// NOLINTBEGIN(readability-identifier-naming): a release reads 1.30
enum class Release : uint8_t {
  kAny = 0,
  kFirst = 26,
  k1_30 = 30,
  k1_31 = 31,
  k1_32 = 32,
  k1_33 = 33,
  k1_34 = 34,
  k1_35 = 35,
  k1_36 = 36,
  kNewest = 37
};
// NOLINTEND(readability-identifier-naming)

constexpr int MinorOf(Release release) {
  return static_cast<int>(release);
}

/// The releases from `first` to `last`, both included. Default: all.
struct Releases {
  uint8_t first = 0;
  uint8_t last = 255;

  /// No release at all.
  static constexpr Releases None() { return {.first = 1, .last = 0}; }

  /// Whether a feature of these releases exists in `release`; kAny has all features.
  constexpr bool Has(Release release) const {
    return release == Release::kAny ? first <= last : Contains(MinorOf(release));
  }
  /// Whether a rule of these releases holds in `release`; kAny follows the rules of the newest.
  constexpr bool Rules(Release release) const {
    return Contains(MinorOf(release == Release::kAny ? Release::kNewest : release));
  }
  constexpr bool all() const { return first == 0 && last == 255; }

 private:
  constexpr bool Contains(int minor) const { return first <= minor && minor <= last; }
};

}  // namespace dray::api
