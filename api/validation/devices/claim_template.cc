// SPDX-License-Identifier: Apache-2.0
#include "api/resource_v1/claim_template.h"

#include <utility>

#include "api/validation/devices/claim.h"
#include "api/validation/go_value.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;

void CheckTemplate(const v1::ResourceClaimTemplate& claim_template,
                   Origin origin,
                   const Options& options,
                   Findings& out) {
  const Path spec("spec");
  CheckTemplateMetadata(claim_template.spec.metadata, spec.Child("metadata"), out.written);
  CheckClaimSpec(claim_template.spec.spec, origin, options.expressions, spec.Child("spec"), out);
}

}  // namespace

void CheckTemplateMetadata(const meta_v1::ObjectMeta& meta, const Path& path, FieldErrors& errors) {
  CheckAnnotations(meta.annotations, path.Child("annotations"), errors);
  CheckLabels(meta.labels, path.Child("labels"), errors);
  const auto forbid = [&](bool is_set, std::string_view name) {
    if (is_set) errors.Forbidden(path.Child(name), "cannot be set");
  };
  forbid(!meta.name.empty(), "name");
  forbid(!meta.generate_name.empty(), "generateName");
  forbid(!meta.namespace_.empty(), "namespace");
  forbid(!meta.self_link.empty(), "selfLink");
  forbid(!meta.uid.empty(), "uID");
  forbid(!meta.resource_version.empty(), "resourceVersion");
  forbid(meta.generation != 0, "generation");
  forbid(!meta.creation_timestamp.IsZero(), "creationTimestamp");
  forbid(meta.deletion_timestamp.has_value(), "deletionTimestamp");
  forbid(meta.deletion_grace_period_seconds.has_value(), "deletionGracePeriodSeconds");
  forbid(!meta.owner_references.empty(), "ownerReferences");
  forbid(!meta.finalizers.empty(), "finalizers");
  forbid(!meta.managed_fields.empty(), "managedFields");
}

std::vector<ErrorCause> ValidateClaimTemplate(const v1::ResourceClaimTemplate& claim_template,
                                              const Options& options) {
  Findings out(options.profile, options.version);
  CheckAdminAccess(
      claim_template.spec.spec, claim_template.metadata.namespace_, options, out.written);
  CheckTemplate(claim_template, Origin::kNew, options, out);
  return std::move(out).Take();
}

std::vector<ErrorCause> ValidateClaimTemplateUpdate(const v1::ResourceClaimTemplate& changed,
                                                    const v1::ResourceClaimTemplate& old,
                                                    const Options& options) {
  Findings out(options.profile, options.version);
  CheckTemplate(changed, Origin::kNew, options, out);
  if (changed.spec != old.spec) {
    out.written.Invalid(
        Path("spec"), ShownAsGo(changed.spec, out.profile.release), "field is immutable");
  }
  if (!out.Since(35)) CheckTemplate(changed, Origin::kStored, options, out);
  return std::move(out).Take();
}

}  // namespace dray::api::validation::inline devices
