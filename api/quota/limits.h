// SPDX-License-Identifier: Apache-2.0
// Whether a ResourceQuota admits an object, and the usage afterwards: upstream's admission plug-in
// ResourceQuota, as a function of values.
#pragma once

#include <optional>

#include "api/core_v1/resource_quota.h"
#include "api/object.h"
#include "api/quota/charge.h"
#include "base/result.h"

namespace dray::api::quota {

/// The usage of `quota` after admitting the new `object`, whose charge is `charge`; nothing if the
/// quota does not cover the object.
///
/// Errors: kForbidden, with upstream's words from "exceeded quota" on  the usage would exceed the
/// quota; a container does not set a value that the quota requires; or the quota has no usage yet.
Result<std::optional<Amounts>> Charged(const core_v1::ResourceQuota& quota,
                                       const Object& object,
                                       const Amounts& charge);

/// Computes the usage of a quota from the existing objects.
class Count {
 public:
  /// `quota` outlives the count.
  explicit Count(const core_v1::ResourceQuota& quota);

  /// Begins counting objects of the kind; has no effect for kinds that quotas do not count.
  void Begin(const KindInfo& kind);
  void Add(const Object& object, const Amounts& charge);
  core_v1::ResourceQuotaStatus Status() &&;

 private:
  const core_v1::ResourceQuota& quota_;
  core_v1::ResourceQuotaStatus status_;
};

}  // namespace dray::api::quota
