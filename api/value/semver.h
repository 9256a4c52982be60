// SPDX-License-Identifier: Apache-2.0
// Semver: versions as semver.org 2.0.0 defines them, read the way the CEL library of Kubernetes
// does.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dray::api::inline value {

/// A version. Order and equality follow precedence, which ignores build metadata.
class Semver {
 public:
  Semver() = default;  // 0.0.0

  /// Reads "MAJOR.MINOR.PATCH[-pre.release][+build.meta]". Numbers go up to 2^64-1.
  ///
  /// Errors: kBadRequest with upstream's words. Callers limit the length; cost is linear in it.
  static Result<Semver> Parse(std::string_view text);

  /// The same after these repairs: one leading "v" is dropped, leading zeros of the three numbers
  /// are dropped, missing minor and patch become 0 (not together with pre-release or build).
  static Result<Semver> ParseNormalized(std::string_view text);

  uint64_t major() const { return major_; }
  uint64_t minor() const { return minor_; }
  uint64_t patch() const { return patch_; }
  /// Without the leading '-' and '+'; empty when there is none.
  const std::string& prerelease() const { return prerelease_; }
  const std::string& build() const { return build_; }
  std::string ToString() const;

  friend bool operator==(const Semver& a, const Semver& b) { return (a <=> b) == 0; }
  friend std::weak_ordering operator<=>(const Semver& a, const Semver& b);

 private:
  uint64_t major_ = 0;
  uint64_t minor_ = 0;
  uint64_t patch_ = 0;
  std::string prerelease_;
  std::string build_;
};

/// Whether `text` has the form of semver.org 2.0.0; numbers may have any size, as in the validation
/// of device attributes.
bool IsSemver(std::string_view text);

}  // namespace dray::api::inline value
