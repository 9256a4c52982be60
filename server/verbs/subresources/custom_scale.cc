// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/subresources/custom_scale.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/autoscaling_v1.h"
#include "api/custom_kind.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/registry/custom_version.h"
#include "server/registry/scale_rules.h"

namespace dray::server::verbs::inline subresources {
namespace {

using api::apiextensions_v1::CustomResourceSubresourceScale;
using api::autoscaling_v1::Scale;

// The paths in the current definition of the object's version; empty when it has none any more.
CustomResourceSubresourceScale PathsOf(const api::Object& object) {
  const Frozen<registry::SchemaVersion> version = registry::RulesOf(object.kind());
  if (version == nullptr || !version->said().subresources.has_value()) return {};
  return version->said().subresources->scale.value_or(CustomResourceSubresourceScale());
}

const api::Tree& ContentOf(const api::Object& object) {
  return object.As<api::CustomObject>().content;
}

int32_t NumberAt(const api::Object& object, std::string_view path) {
  const Result<std::optional<int64_t>> number = registry::NestedNumber(ContentOf(object), path);
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  const int64_t wide = number.has_value() ? number->value_or(0) : 0;
  return static_cast<int32_t>(std::clamp<int64_t>(wide, -kMax, kMax));
}

// Sets the number at `path`, with objects on the way where nothing is.
// Errors: kUnknown  something else is on the way, in upstream's words.
Result<> SetNumber(api::Tree& content, std::string_view path, int64_t number) {
  api::Tree* at = &content;
  std::string_view rest = path;
  std::string_view name = registry::TakeName(rest);
  for (; !rest.empty(); name = registry::TakeName(rest)) {
    api::Tree* inner = at->FindMutable(name);
    at = inner != nullptr ? inner : &at->Set(name, api::Tree::Object());
    if (at->is_object()) continue;
    return Fail(errors::Untyped(
        fmt::format("value cannot be set because {} is not a map[string]interface{{}}",
                    path.substr(0, path.size() - rest.size()))));
  }
  at->Set(name, api::Tree(number));
  return {};
}

}  // namespace

api::Object CustomScaleOf(const api::Object& object) {
  const CustomResourceSubresourceScale paths = PathsOf(object);
  const api::meta_v1::ObjectMeta& meta = object.metadata();
  Scale scale;
  scale.metadata.name = meta.name;
  scale.metadata.namespace_ = meta.namespace_;
  scale.metadata.uid = meta.uid;
  scale.metadata.resource_version = meta.resource_version;
  scale.metadata.creation_timestamp = meta.creation_timestamp;
  scale.spec.replicas = NumberAt(object, paths.spec_replicas_path);
  scale.status.replicas = NumberAt(object, paths.status_replicas_path);
  const Result<std::optional<std::string>> selector =
      registry::NestedText(ContentOf(object), paths.label_selector_path.value_or(""));
  if (selector.has_value()) scale.status.selector = selector->value_or("");
  return api::Object::Of(std::move(scale));
}

std::vector<std::string> CustomReplicasPath(const api::Object& object) {
  std::vector<std::string> names;
  const std::string path = PathsOf(object).spec_replicas_path;
  for (std::string_view rest = path; !rest.empty();) names.emplace_back(registry::TakeName(rest));
  return names;
}

Result<> CheckHasReplicas(const api::Object& object) {
  const std::string path = PathsOf(object).spec_replicas_path;
  DRAY_TRY(const std::optional<int64_t> number, registry::NestedNumber(ContentOf(object), path));
  if (number.has_value() && !path.empty()) return {};
  const std::string why = fmt::format("the spec replicas field \"{}\" does not exist", path);
  Error error = errors::Internal(why);
  error.causes.push_back({.reason = {}, .field = {}, .message = why});
  return Fail(std::move(error));
}

Result<api::Object> CustomScaled(const api::Object& object, const api::Object& requested) {
  const auto& scale = requested.As<Scale>();
  const std::string path = PathsOf(object).spec_replicas_path;
  api::Object next = object.Clone();
  next.mutable_metadata().resource_version = scale.metadata.resource_version;
  next.mutable_metadata().uid = scale.metadata.uid;
  DRAY_TRY_VOID(SetNumber(next.Mutable<api::CustomObject>().content, path, scale.spec.replicas));
  return next;
}

}  // namespace dray::server::verbs::inline subresources
