// SPDX-License-Identifier: Apache-2.0
// Pod Security Standards: what the labels of a namespace demand of its pods.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta_v1/object_meta.h"

namespace dray::server::pod_security {

/// From the weakest to the strictest.
enum class Level : uint8_t { kPrivileged, kBaseline, kRestricted };

/// A level as a release of Kubernetes defines it.
struct Standard {
  Level level = Level::kPrivileged;
  /// Minor version of the release, 1.x; none: the latest.
  std::optional<uint32_t> minor = std::nullopt;

  /// "baseline:latest", "restricted:v1.24".
  std::string Text() const;
  bool operator==(const Standard&) const = default;
};

/// What happens to a pod that does not meet a standard.
struct Demands {
  Standard enforce;  // it is refused
  Standard audit;    // the audit log gets an annotation
  Standard warn;     // the client gets a warning

  bool AreNone() const {
    return enforce.level == Level::kPrivileged && audit.level == Level::kPrivileged &&
           warn.level == Level::kPrivileged;
  }
};

/// A label whose value means nothing.
struct LabelMistake {
  std::string_view label;
  std::string value;
  std::string_view message;

  /// "metadata.labels[pod-security.kubernetes.io/enforce]"
  std::string Field() const;
  bool operator==(const LabelMistake&) const = default;
};

/// The demands of a namespace with these labels. A level to enforce that means nothing counts as
/// restricted, one to audit or to warn of as privileged. `mistakes` may be null.
Demands DemandsOf(const api::Map<std::string>& labels, std::vector<LabelMistake>* mistakes);

}  // namespace dray::server::pod_security
