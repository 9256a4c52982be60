// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/read/selection.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/tree_json.h"
#include "api/core_v1/event.h"
#include "api/custom_kind.h"
#include "api/feature_gates.h"
#include "api/reflect.h"
#include "api/text/go_quote.h"
#include "api/text/names.h"
#include "base/try.h"
#include "server/errors/errors.h"

namespace dray::server::verbs::inline read {
namespace {

Error NotSelectable(const api::KindInfo& kind, std::string_view field) {
  if (api::IsCustom(kind)) {
    return errors::BadRequest(fmt::format("field label not supported: {}", field));
  }
  if (kind.selectable.empty()) {
    return errors::BadRequest(
        fmt::format("{} is not a known field selector: only \"metadata.name\", "
                    "\"metadata.namespace\"",
                    api::GoQuote(field)));
  }
  if (kind.group.empty() || kind.group == "events.k8s.io") {
    return errors::BadRequest(fmt::format("field label not supported: {}", field));
  }
  return errors::BadRequest(fmt::format(
      "field label not supported for {}, Kind={}: {}", kind.api_version, kind.kind, field));
}

// Aliases of selectable fields, as upstream's conversions accept them.
struct Alias {
  std::string_view group, kind, alias, field;
};
constexpr std::array kAliases = {Alias{"", "Namespace", "name", "metadata.name"}};

std::string_view Canonical(const api::KindInfo& kind, std::string_view field) {
  for (const Alias& alias : kAliases) {
    if (alias.group == kind.group && alias.kind == kind.kind && alias.alias == field) {
      return alias.field;
    }
  }
  return field;
}

// Fields that became selectable later than their kind.
struct Newer {
  std::string_view group, kind, field;
  api::Releases in;
};
constexpr std::array kNewer = {
    Newer{"resource.k8s.io", "ResourceSlice", "spec.pool.name", {.first = 37, .last = 255}}};

bool IsSelectable(const api::KindInfo& kind, std::string_view field, api::Release release) {
  if (field == "metadata.name" || field == "metadata.namespace") return true;
  for (const Newer& newer : kNewer) {
    const bool is_it = newer.group == kind.group && newer.kind == kind.kind && newer.field == field;
    if (is_it && !newer.in.Rules(release)) return false;
  }
  return std::ranges::find(kind.selectable, field) != kind.selectable.end();
}

std::string ScalarText(const api::Type& type, const void* value) {
  switch (type.kind) {
    case api::TypeKind::kString: return *static_cast<const std::string*>(value);
    case api::TypeKind::kBool: return *static_cast<const bool*>(value) ? "true" : "false";
    case api::TypeKind::kInt32: return std::to_string(*static_cast<const int32_t*>(value));
    case api::TypeKind::kInt64: return std::to_string(*static_cast<const int64_t*>(value));
    case api::TypeKind::kDouble:
    case api::TypeKind::kBytes:
    case api::TypeKind::kQuantity:
    case api::TypeKind::kTime:
    case api::TypeKind::kMicroTime:
    case api::TypeKind::kDuration:
    case api::TypeKind::kIntOrString:
    case api::TypeKind::kRawJson:
    case api::TypeKind::kOptional:
    case api::TypeKind::kList:
    case api::TypeKind::kMap:
    case api::TypeKind::kStruct: return "";
  }
  return "";
}

// The source of an event is a struct; selectors compare its component, or reportingComponent.
std::string EventSource(const api::core_v1::Event& event) {
  return event.source.component.empty() ? event.reporting_component : event.source.component;
}

// FieldText() of objects without a reflection table: texts, numbers and flags below objects.
std::string TreeText(const api::Tree& content, std::string_view path) {
  const api::Tree* at = &content;
  while (!path.empty() && at != nullptr) {
    const size_t dot = std::min(path.find('.'), path.size());
    at = at->Find(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  if (at == nullptr) return "";
  switch (at->kind()) {
    case api::Tree::Kind::kText: return std::string(at->text());
    case api::Tree::Kind::kBool: return at->boolean() ? "true" : "false";
    case api::Tree::Kind::kInteger:
    case api::Tree::Kind::kDouble: return api::ToJson(*at);
    case api::Tree::Kind::kNull:
    case api::Tree::Kind::kList:
    case api::Tree::Kind::kObject: return "";
  }
  return "";
}

}  // namespace

std::string FieldText(const api::Object& object, std::string_view path) {
  if (const auto* event = object.If<api::core_v1::Event>(); event != nullptr && path == "source") {
    return EventSource(*event);
  }
  if (api::IsCustom(object.kind()) && !path.starts_with("metadata.")) {
    return TreeText(object.As<api::CustomObject>().content, path);
  }
  const api::Type* type = &object.type();
  const void* value = object.value();
  while (!path.empty()) {
    if (type->kind == api::TypeKind::kOptional) {
      if (type->container->size(value) == 0) return "";
      value = type->container->at(value, 0);
      type = &type->element();
    }
    if (type->kind != api::TypeKind::kStruct) return "";
    const size_t dot = path.find('.');
    const api::Field* field = type->Find(path.substr(0, dot));
    if (field == nullptr) return "";
    value = field->of(value);
    type = &field->type();
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  if (type->kind == api::TypeKind::kOptional) {
    if (type->container->size(value) == 0) return "";
    return ScalarText(type->element(), type->container->at(value, 0));
  }
  return ScalarText(*type, value);
}

Result<Selection> Selection::Parse(const api::KindInfo& kind,
                                   const ListOptions& options,
                                   api::Release release) {
  Selection selection;
  const bool bytes = api::Profile::Of(release).Since(36);
  DRAY_TRY(
      selection.labels,
      api::LabelSelector::Parse(options.label_selector,
                                bytes ? api::LengthWord::kBytes : api::LengthWord::kCharacters));
  DRAY_TRY(const api::FieldSelector fields, api::FieldSelector::Parse(options.field_selector));
  std::vector<api::FieldRequirement> requirements = fields.requirements();
  for (api::FieldRequirement& requirement : requirements) {
    requirement.path = Canonical(kind, requirement.path);
    if (!IsSelectable(kind, requirement.path, release))
      return Fail(NotSelectable(kind, requirement.path));
  }
  selection.fields = api::FieldSelector(std::move(requirements));
  return selection;
}

bool Selection::Matches(const api::Object& object) const {
  return labels.Matches(object.metadata().labels) &&
         fields.Matches([&](std::string_view path) { return FieldText(object, path); });
}

}  // namespace dray::server::verbs::inline read
