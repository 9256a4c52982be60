// SPDX-License-Identifier: Apache-2.0
// The checks that the levels consist of, as rows. A check that changed from one release to another
// asks for the minor version itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "api/core_v1/pod_spec.h"
#include "api/meta_v1/object_meta.h"

namespace dray::server::pod_security {

/// In upstream's words.
struct Violation {
  std::string reason;  // "host namespaces"
  std::string detail;  // "hostNetwork=true, hostPID=true"
};

/// A pod, or the template of one, and the release whose standard is asked about.
struct Question {
  const api::meta_v1::ObjectMeta& metadata;
  const api::core_v1::PodSpec& spec;
  uint32_t minor;
};

struct Check {
  std::optional<Violation> (*find)(const Question& question);
  /// The first release whose level has it.
  uint32_t since = 0;
  /// For a check of baseline: from this release on, another one of the level restricted, which
  /// forbids more, takes its place there.
  uint32_t replaced_since = UINT32_MAX;
};

// Shared by both levels.

/// Ways to mount /proc other than the usual one.
std::optional<Violation> FindProcMounts(const Question& question);
/// Profiles that do not.
std::optional<Violation> FindOtherSeccompProfiles(const Question& question);

/// Sorted by upstream's names of the checks.
std::span<const Check> BaselineChecks();
/// What the level restricted has besides.
std::span<const Check> RestrictedChecks();

}  // namespace dray::server::pod_security
