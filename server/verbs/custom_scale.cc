// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/custom_scale.h"

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
#include "server/errors/errors.h"
#include "server/registry/custom_version.h"

namespace dray::server::verbs {
namespace {

using api::apiextensions_v1::CustomResourceSubresourceScale;
using api::autoscaling_v1::Scale;

// As the version of the object says now; paths of nothing where it says nothing any more.
CustomResourceSubresourceScale PathsOf(const api::Object& object) {
  const Frozen<registry::SchemaVersion> version = registry::RulesOf(object.kind());
  if (version == nullptr || !version->said().subresources.has_value()) return {};
  return version->said().subresources->scale.value_or(CustomResourceSubresourceScale());
}

// The first name of ".spec.replicas"; the rest stays.
std::string_view TakeName(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  const std::string_view name = path.substr(0, path.find('.'));
  path.remove_prefix(name.size());
  return name;
}

const api::Tree* Find(const api::Object& object, std::string_view path) {
  const api::Tree* at = &object.As<api::CustomObject>().content;
  while (!path.empty() && at != nullptr) at = at->Find(TakeName(path));
  return at;
}

int32_t NumberAt(const api::Object& object, std::string_view path) {
  const api::Tree* number = path.empty() ? nullptr : Find(object, path);
  if (number == nullptr || !number->is_integer()) return 0;
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(std::clamp<int64_t>(number->integer(), -kMax, kMax));
}

// Sets the number at `path`, with objects on the way where nothing is; false where something else
// is.
bool SetNumber(api::Tree& content, std::string_view path, int64_t number) {
  api::Tree* at = &content;
  std::string_view name = TakeName(path);
  for (; !path.empty(); name = TakeName(path)) {
    if (!at->is_object()) return false;
    api::Tree* inner = at->FindMutable(name);
    at = inner != nullptr ? inner : &at->Set(name, api::Tree::Object());
  }
  if (!at->is_object()) return false;
  at->Set(name, api::Tree(number));
  return true;
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
  if (paths.label_selector_path.has_value()) {
    const api::Tree* selector = Find(object, *paths.label_selector_path);
    if (selector != nullptr && selector->is_text()) scale.status.selector = selector->text();
  }
  return api::Object::Of(std::move(scale));
}

std::vector<std::string> CustomReplicasPath(const api::Object& object) {
  std::vector<std::string> names;
  const std::string path = PathsOf(object).spec_replicas_path;
  for (std::string_view rest = path; !rest.empty();) names.emplace_back(TakeName(rest));
  return names;
}

Result<> CheckHasReplicas(const api::Object& object) {
  const std::string path = PathsOf(object).spec_replicas_path;
  const api::Tree* number = path.empty() ? nullptr : Find(object, path);
  if (number != nullptr && number->is_integer()) return {};
  const std::string why = fmt::format("the spec replicas field \"{}\" does not exist", path);
  Error error = errors::Internal(why);
  error.causes.push_back({.reason = {}, .field = {}, .message = why});
  return Fail(std::move(error));
}

Result<api::Object> CustomScaled(const api::Object& object, const api::Object& wish) {
  const auto& scale = wish.As<Scale>();
  const std::string path = PathsOf(object).spec_replicas_path;
  const std::string& name = object.metadata().name;
  const auto invalid = [&](std::string_view shown, std::string_view why) {
    return Fail(errors::Invalid(object.kind(), name, {errors::InvalidValue(path, shown, why)}));
  };
  if (scale.spec.replicas < 0) {
    return invalid(std::to_string(scale.spec.replicas), "should be a non-negative integer");
  }
  api::Object next = object.Clone();
  next.mutable_metadata().resource_version = scale.metadata.resource_version;
  next.mutable_metadata().uid = scale.metadata.uid;
  if (!SetNumber(next.Mutable<api::CustomObject>().content, path, scale.spec.replicas)) {
    return invalid(std::to_string(scale.spec.replicas),
                   fmt::format("{} accessor error: it lies in something that is no object", path));
  }
  return next;
}

}  // namespace dray::server::verbs
