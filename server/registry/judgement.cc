// SPDX-License-Identifier: Apache-2.0
#include "server/registry/judgement.h"

#include <algorithm>
#include <iterator>

#include "api/conversion/conversion.h"
#include "api/defaults/defaults.h"
#include "api/meta_v1/object_meta.h"
#include "api/validation/disabled_fields.h"
#include "api/validation/rules.h"
#include "api/value/time.h"
#include "server/registry/generate_name.h"
#include "server/registry/metadata_rules.h"
#include "server/registry/strategy.h"

namespace dray::server::registry {
namespace {

namespace validation = api::validation;

void NameIfAsked(api::meta_v1::ObjectMeta& meta, Random& random) {
  if (!meta.name.empty() || meta.generate_name.empty()) return;
  meta.name = GenerateName(meta.generate_name, random);
}

void Prepare(Write& write, const api::Profile& profile, WallTime now, Random& random) {
  switch (write.operation) {
    case WriteOperation::kCreate:
      NameIfAsked(write.object.mutable_metadata(), random);
      PrepareForCreate(write.object, now, random, profile.release);
      break;
    case WriteOperation::kUpdate:
      PrepareForUpdate(write.object, write.old, now, profile.release);
      break;
    case WriteOperation::kUpdateStatus: PrepareForStatusUpdate(write.object, write.old); break;
  }
  validation::DropDisabledFields(write.object, write.old.empty() ? nullptr : &write.old, profile);
}

std::vector<Cause> CheckMetadata(const Write& write, const api::Profile& profile) {
  const api::Object& object = write.object;
  if (write.operation == WriteOperation::kCreate) {
    return CheckNewMetadata(object.kind(), object.metadata(), profile);
  }
  const ChangedPart part =
      write.operation == WriteOperation::kUpdateStatus ? ChangedPart::kStatus : ChangedPart::kMain;
  return CheckChangedMetadata(
      object.kind(), object.metadata(), write.old.metadata(), profile, part);
}

std::vector<Cause> CheckRules(const Write& write, const validation::Options& options) {
  switch (write.operation) {
    case WriteOperation::kCreate: return validation::ValidateCreate(write.object, options);
    case WriteOperation::kUpdate:
      return validation::ValidateUpdate(write.object, write.old, options);
    case WriteOperation::kUpdateStatus:
      return validation::ValidateStatusUpdate(write.object, write.old, options);
  }
  return {};
}

}  // namespace

Result<api::Object> ReadForStore(const api::KindInfo& kind,
                                 std::string_view json,
                                 api::Release release,
                                 WallTime now,
                                 api::DecodeIssues* issues) {
  DRAY_TRY(api::Object object, api::DecodeJson(kind, json, issues, {.release = release}));
  api::defaults::SetDefaults(object, api::Time::Of(now), release);
  return api::conversion::ToHub(object, release).Clone();
}

Judgement JudgeWrite(Write& write,
                     const validation::Options& options,
                     WallTime now,
                     Random& random) {
  Prepare(write, options.profile, now, random);
  Judgement judgement = {.causes = CheckMetadata(write, options.profile), .warnings = {}};
  std::ranges::move(CheckRules(write, options), std::back_inserter(judgement.causes));
  if (write.operation != WriteOperation::kUpdateStatus) {
    judgement.warnings = validation::Warnings(write.object, options.profile);
  }
  return judgement;
}

}  // namespace dray::server::registry
