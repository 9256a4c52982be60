// SPDX-License-Identifier: Apache-2.0
#include "server/registry/scale_rules.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_tree.h"
#include "api/codec/tree_json.h"
#include "api/managed_fields/versions.h"
#include "base/try.h"
#include "server/errors/errors.h"

namespace dray::server::registry {
namespace {

using api::Tree;
using api::apiextensions_v1::CustomResourceDefinitionVersion;
using api::apiextensions_v1::CustomResourceSubresourceScale;
using Causes = std::vector<ErrorCause>;

// Null: the version has none.
const CustomResourceSubresourceScale* ScaleOf(const CustomResourceDefinitionVersion& said) {
  const bool has_scale = said.subresources.has_value() && said.subresources->scale.has_value();
  return has_scale ? &*said.subresources->scale : nullptr;
}

// As Go prints it with %v.
std::string GoValue(const Tree& value) {
  if (value.is_null()) return "<nil>";
  const Result<api::JsonTree> tree =
      api::ParseJsonTree(api::ToJson(value), api::managed_fields::kDocumentDepthMax);
  return tree.has_value() ? api::GoText(*tree) : std::string("…");
}

// The name of its type in Go.
std::string_view GoType(const Tree& value) {
  switch (value.kind()) {
    case Tree::Kind::kNull: return "<nil>";
    case Tree::Kind::kBool: return "bool";
    case Tree::Kind::kInteger: return "int64";
    case Tree::Kind::kDouble: return "float64";
    case Tree::Kind::kText: return "string";
    case Tree::Kind::kList: return "[]interface {}";
    case Tree::Kind::kObject: return "map[string]interface {}";
  }
  return {};
}

Failure NotA(std::string_view wanted, std::string_view path, const Tree& value) {
  return Fail(errors::Untyped(fmt::format("{} accessor error: {} is of the type {}, expected {}",
                                          path,
                                          GoValue(value),
                                          GoType(value),
                                          wanted)));
}

// The value at `path`; null where nothing is.
Result<const Tree*> Nested(const Tree& object, std::string_view path) {
  const Tree* at = &object;
  for (std::string_view rest = path; !rest.empty();) {
    if (at->is_null()) return nullptr;
    const std::string_view name = TakeName(rest);
    if (!at->is_object()) {
      return NotA("map[string]interface{}", path.substr(0, path.size() - rest.size()), *at);
    }
    at = at->Find(name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

Causes Invalid(std::string_view path, std::string_view shown, std::string_view why) {
  return {errors::InvalidValue(std::string(path), shown, why)};
}

Causes CheckNumber(const Tree& object, std::string_view path) {
  const Result<std::optional<int64_t>> number = NestedNumber(object, path);
  if (!number.has_value()) return Invalid(path, "0", number.error().message);
  const int64_t replicas = number->value_or(0);
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (replicas < 0) {
    return Invalid(path, std::to_string(replicas), "should be a non-negative integer");
  }
  if (replicas <= kMax) return {};
  return Invalid(
      path, std::to_string(replicas), fmt::format("should be less than or equal to {}", kMax));
}

}  // namespace

std::string_view TakeName(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  const std::string_view name = path.substr(0, path.find('.'));
  path.remove_prefix(name.size());
  return name;
}

Result<std::optional<int64_t>> NestedNumber(const Tree& object, std::string_view path) {
  DRAY_TRY(const Tree* value, Nested(object, path));
  if (value == nullptr) return std::nullopt;
  if (!value->is_integer()) return NotA("int64", path, *value);
  return value->integer();
}

Result<std::optional<std::string>> NestedText(const Tree& object, std::string_view path) {
  DRAY_TRY(const Tree* value, Nested(object, path));
  if (value == nullptr) return std::nullopt;
  if (!value->is_text()) return NotA("string", path, *value);
  return std::string(value->text());
}

Causes CheckScaleSpec(const Tree& object, const CustomResourceDefinitionVersion& said) {
  const CustomResourceSubresourceScale* scale = ScaleOf(said);
  return scale == nullptr ? Causes() : CheckNumber(object, scale->spec_replicas_path);
}

Causes CheckScaleStatus(const Tree& object, const CustomResourceDefinitionVersion& said) {
  const CustomResourceSubresourceScale* scale = ScaleOf(said);
  if (scale == nullptr) return {};
  Causes causes = CheckNumber(object, scale->status_replicas_path);
  const std::string selector = scale->label_selector_path.value_or("");
  if (selector.empty()) return causes;
  const Result<std::optional<std::string>> text = NestedText(object, selector);
  if (!text.has_value()) {
    causes.push_back(errors::InvalidValue(selector, errors::Quoted(""), text.error().message));
  }
  return causes;
}

}  // namespace dray::server::registry
