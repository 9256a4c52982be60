// SPDX-License-Identifier: Apache-2.0
#include "api/validation/cluster/namespace.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "api/text/names.h"
#include "api/validation/field_path.h"
#include "api/validation/workloads/core.h"

namespace dray::api::validation::inline cluster {
namespace {

void CheckFinalizer(const std::string& name, const Path& path, FieldErrors& errors) {
  errors.Names(path, name, CheckLabelKey(name));
  if (!IsFinalizerName(name)) errors.Invalid(path, Shown(name), kNoFinalizerName);
}

}  // namespace

std::vector<ErrorCause> ValidateNamespace(const core_v1::Namespace& space, const Profile& profile) {
  FieldErrors errors(profile.release);
  const Path path("spec.finalizers");
  for (const std::string& name : space.spec.finalizers) CheckFinalizer(name, path, errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateNamespaceStatus(const core_v1::Namespace& space,
                                                const Profile& profile) {
  FieldErrors errors(profile.release);
  const bool is_ending = space.metadata.deletion_timestamp.has_value();
  const std::string_view phase = is_ending ? "Terminating" : "Active";
  if (space.status.phase != phase) {
    errors.Invalid(Path("status.Phase"),  // sic: upstream's path
                   Shown(space.status.phase),
                   is_ending ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                             : "may only be 'Active' if `deletionTimestamp` is empty");
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateNamespaceFinalize(const core_v1::Namespace& space,
                                                  const Profile& profile) {
  FieldErrors errors(profile.release);
  const Path path("spec.finalizers");
  for (size_t i = 0; i < space.spec.finalizers.size(); ++i) {
    CheckFinalizer(space.spec.finalizers[i], path.Index(i), errors);
  }
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline cluster
