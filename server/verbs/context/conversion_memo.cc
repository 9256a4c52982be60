// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/context/conversion_memo.h"

namespace dray::server::verbs::inline context {

bool MayNeedWebhook(const api::KindInfo& kind) {
  const api::CustomKind* custom = api::CustomOf(kind);
  if (custom == nullptr) return false;
  const Frozen<api::CustomVersions> versions = custom->resource().versions.Load();
  return versions->conversion != nullptr || versions->dropped != nullptr;
}

api::Object ConversionMemo::Convert(const api::Object& object, const api::CustomKind& version) {
  const auto& custom = object.As<api::CustomObject>();
  const bool is_empty = custom == api::CustomObject();
  if (is_empty || api::ConversionBetween(object.kind(), version) == nullptr) {
    return api::ReadAs(object, version);
  }
  for (const Entry& one : known_) {
    if (one.version == &version && one.object == object) return api::ReadAs(one.converted, version);
  }
  // What comes after it in this run may be made of the placeholder.
  if (missing_.empty()) missing_.push_back({.object = object.Clone(), .version = &version});
  return api::ReadAs(object, version);
}

}  // namespace dray::server::verbs::inline context
