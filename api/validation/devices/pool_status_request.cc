// SPDX-License-Identifier: Apache-2.0
#include "api/validation/devices/pool_status_request.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/device_names.h"
#include "api/text/names.h"
#include "api/validation/field_error.h"
#include "api/validation/go_value.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1alpha3 = resource_v1alpha3;

void CheckAtLeast(int64_t min, int64_t value, const Path& path, FieldErrors& errors) {
  if (value >= min) return;
  errors.Invalid(
      path, std::to_string(value), fmt::format("must be greater than or equal to {}", min));
}

void CheckOptionalAtLeast(int64_t min,
                          const std::optional<int32_t>& value,
                          const Path& path,
                          FieldErrors& errors) {
  if (value.has_value()) CheckAtLeast(min, *value, path, errors);
}

// A number that must be there, if only as zero.
void CheckPartitionCount(const std::optional<int32_t>& value,
                         const Path& path,
                         FieldErrors& errors) {
  if (value.has_value()) {
    CheckAtLeast(0, *value, path, errors);
  } else {
    errors.Required(path);
  }
}

void CheckGiven(bool is_given, const Path& path, FieldErrors& errors) {
  if (!is_given) errors.Required(path);
}

// Unlike other drivers' names these may have the length of any subdomain.
void CheckDriverName(std::string_view value, const Path& path, FieldErrors& errors) {
  if (value.empty()) {
    errors.Required(path);
  } else {
    errors.Names(path, value, CheckDnsSubdomainCaseless(value));
  }
}

void CheckSpec(const v1alpha3::ResourcePoolStatusRequestSpec& spec,
               const Path& path,
               FieldErrors& errors) {
  CheckDriverName(spec.driver, path.Child("driver"), errors);
  if (spec.pool_name.has_value()) {
    errors.Problems(path.Child("poolName"), CheckPoolNameSegments(*spec.pool_name));
  }
  if (spec.limit.has_value()) {
    const Path limit = path.Child("limit");
    CheckAtLeast(1, *spec.limit, limit, errors);
    if (*spec.limit > kPoolLimitMax) {
      errors.Invalid(limit,
                     std::to_string(*spec.limit),
                     fmt::format("must be less than or equal to {}", kPoolLimitMax));
    }
  }
  if (spec.default_partition_type_attribute.has_value()) {
    CheckDeclaredAttributeName(*spec.default_partition_type_attribute,
                               path.Child("defaultPartitionTypeAttribute"),
                               errors);
  }
}

void CheckPartitions(const v1alpha3::PartitionTypeStatus& partition,
                     const Path& path,
                     FieldErrors& errors) {
  CheckGiven(!partition.attribute.empty(), path.Child("attribute"), errors);
  CheckGiven(!partition.type.empty(), path.Child("type"), errors);
  CheckPartitionCount(partition.total, path.Child("total"), errors);
  CheckPartitionCount(partition.allocatable, path.Child("allocatable"), errors);
}

void CheckShareable(const v1alpha3::ShareableSummaryStatus& shareable,
                    const Path& path,
                    FieldErrors& errors) {
  CheckPartitionCount(
      shareable.fully_available_devices, path.Child("fullyAvailableDevices"), errors);
  CheckPartitionCount(
      shareable.partially_available_devices, path.Child("partiallyAvailableDevices"), errors);
  const Path list = path.Child("capacity");
  if (!IsWithin(shareable.capacity.size(), kPoolSummaryMax, list, errors)) return;
  for (size_t i = 0; i < shareable.capacity.size(); ++i) {
    const v1alpha3::ShareableCapacityStatus& capacity = shareable.capacity[i];
    const Path at = list.Index(i);
    CheckGiven(!capacity.name.empty(), at.Child("name"), errors);
    CheckGiven(capacity.total.has_value(), at.Child("total"), errors);
    CheckGiven(capacity.consumed.has_value(), at.Child("consumed"), errors);
    CheckGiven(capacity.available.has_value(), at.Child("available"), errors);
  }
}

void CheckPoolStatus(const v1alpha3::PoolStatus& pool, const Path& path, FieldErrors& errors) {
  CheckDriverName(pool.driver, path.Child("driver"), errors);
  CheckDeclaredPool(pool.pool_name, path.Child("poolName"), errors);
  const Path generation = path.Child("generation");
  CheckGiven(pool.generation != 0, generation, errors);
  CheckAtLeast(0, pool.generation, generation, errors);
  CheckOptionalAtLeast(1, pool.resource_slice_count, path.Child("resourceSliceCount"), errors);
  CheckOptionalAtLeast(0, pool.total_devices, path.Child("totalDevices"), errors);
  CheckOptionalAtLeast(0, pool.allocated_devices, path.Child("allocatedDevices"), errors);
  CheckOptionalAtLeast(0, pool.available_devices, path.Child("availableDevices"), errors);
  CheckOptionalAtLeast(0, pool.unavailable_devices, path.Child("unavailableDevices"), errors);
  if (pool.node_name.has_value()) {
    errors.Names(path.Child("nodeName"),
                 *pool.node_name,
                 CheckDnsSubdomain(*pool.node_name, LengthWord::kBytes));
  }
  if (pool.validation_error.has_value() && pool.validation_error->size() > kPoolErrorMax) {
    errors.TooLong(path.Child("validationError"), kPoolErrorMax);
  }
  const Path partitions = path.Child("partitionSummary");
  if (IsWithin(pool.partition_summary.size(), kPoolSummaryMax, partitions, errors)) {
    for (size_t i = 0; i < pool.partition_summary.size(); ++i) {
      CheckPartitions(pool.partition_summary[i], partitions.Index(i), errors);
    }
  }
  if (pool.shareable_summary.has_value()) {
    CheckShareable(*pool.shareable_summary, path.Child("shareableSummary"), errors);
  }
}

void CheckStatus(const v1alpha3::ResourcePoolStatusRequestStatus& status,
                 const Path& path,
                 Findings& out) {
  CheckPartitionCount(status.pool_count, path.Child("poolCount"), out.declared);
  const Path pools = path.Child("pools");
  if (IsWithin(status.pools.size(), kPoolStatusesMax, pools, out.declared)) {
    for (size_t i = 0; i < status.pools.size(); ++i) {
      CheckPoolStatus(status.pools[i], pools.Index(i), out.declared);
    }
  }
  const Path conditions = path.Child("conditions");
  CheckConditions(status.conditions, conditions, out.written);
  if (!IsWithin(status.conditions.size(), kPoolConditionsMax, conditions, out.declared)) return;
  // Both passes found repeated types; 1.37 knows that it is one fault.
  if (out.is_declarative()) return;
  std::set<std::string_view> types;
  for (size_t i = 0; i < status.conditions.size(); ++i) {
    if (types.insert(status.conditions[i].type).second) continue;
    out.declared.Duplicate(conditions.Index(i), ShownStruct(status.conditions[i]));
  }
}

}  // namespace

std::vector<ErrorCause> ValidatePoolRequest(const v1alpha3::ResourcePoolStatusRequest& request,
                                            const Options& options) {
  Findings out(options.profile, options.version);
  CheckSpec(request.spec, Path("spec"), out.declared);
  return std::move(out).Take();
}

std::vector<ErrorCause> ValidatePoolRequestUpdate(
    const v1alpha3::ResourcePoolStatusRequest& request,
    const v1alpha3::ResourcePoolStatusRequest& old,
    const Options& options) {
  Findings out(options.profile, options.version);
  if (request.spec != old.spec) out.declared.Invalid(Path("spec"), "null", kImmutable);
  return std::move(out).Take();
}

std::vector<ErrorCause> ValidatePoolRequestStatus(
    const v1alpha3::ResourcePoolStatusRequest& request,
    const v1alpha3::ResourcePoolStatusRequest& old,
    const Options& options) {
  Findings out(options.profile, options.version);
  const Path status("status");
  if (request.status == old.status) return {};
  if (old.status.has_value()) {
    out.written.Invalid(
        status,
        request.status.has_value() ? ShownAsGo(*request.status, out.profile.release) : "null",
        kImmutable);
  }
  if (request.status.has_value()) CheckStatus(*request.status, status, out);
  return std::move(out).Take();
}

}  // namespace dray::api::validation::inline devices
