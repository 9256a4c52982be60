// SPDX-License-Identifier: Apache-2.0
// Whether a ResourceQuota lets an object in, and what is used then: upstream's admission plug-in
// ResourceQuota, as a function of values.
#pragma once

#include <optional>

#include "api/core_v1/resource_quota.h"
#include "api/object.h"
#include "api/quota/charge.h"
#include "base/result.h"

namespace dray::api::quota {

/// What `quota` says is used when the new `object`, which is charged for `charge`, is let in;
/// nothing if it is not among those that the quota counts.
///
/// Errors: kForbidden, with upstream's words from "exceeded quota" on  it would be too much; a
/// container does not say what the quota wants to be said; or nobody has counted yet.
Result<std::optional<Amounts>> Charged(const core_v1::ResourceQuota& quota,
                                       const Object& object,
                                       const Amounts& charge);

/// Counts what is used of a quota by the objects that are there.
class Count {
 public:
  /// `quota` outlives the count.
  explicit Count(const core_v1::ResourceQuota& quota);

  /// Objects of the kind are counted, if any; names of kinds that are not have no use.
  void Begin(const KindInfo& kind);
  void Add(const Object& object, const Amounts& charge);
  core_v1::ResourceQuotaStatus Status() &&;

 private:
  const core_v1::ResourceQuota& quota_;
  core_v1::ResourceQuotaStatus status_;
};

}  // namespace dray::api::quota
