// SPDX-License-Identifier: Apache-2.0
#include "server/documents/openapi_schemas.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "api/docs.h"
#include "api/meta_v1/condition.h"
#include "api/meta_v1/label_selector.h"
#include "api/meta_v1/list_meta.h"
#include "api/meta_v1/object_meta.h"
#include "api/meta_v1/options.h"
#include "api/meta_v1/status.h"

namespace dray::server::documents {
namespace {

namespace meta_v1 = api::meta_v1;
using api::Field;
using api::JsonWriter;
using api::KindInfo;
using api::ListKind;
using api::Type;
using api::TypeKind;
using api::TypeOf;

// Structs of meta/v1 that others have members of: they are the same in all versions.
bool IsMeta(const Type& type) {
  const std::array meta = {&TypeOf<meta_v1::ObjectMeta>(),
                           &TypeOf<meta_v1::ListMeta>(),
                           &TypeOf<meta_v1::OwnerReference>(),
                           &TypeOf<meta_v1::ManagedFieldsEntry>(),
                           &TypeOf<meta_v1::LabelSelector>(),
                           &TypeOf<meta_v1::LabelSelectorRequirement>(),
                           &TypeOf<meta_v1::Condition>(),
                           &TypeOf<meta_v1::DeleteOptions>(),
                           &TypeOf<meta_v1::Preconditions>(),
                           &TypeOf<meta_v1::Status>(),
                           &TypeOf<meta_v1::StatusDetails>(),
                           &TypeOf<meta_v1::StatusCause>()};
  return std::ranges::find(meta, &type) != meta.end();
}

const Type& Plain(const Type& type) {
  const Type* inner = &type;
  while (inner->kind == TypeKind::kOptional) inner = &inner->element();
  return *inner;
}

}  // namespace

void WriteKindName(const KindInfo& kind, std::string_view word, JsonWriter& json) {
  json.Object({{"group", kind.group}, {"version", kind.version}, {"kind", word}});
}

void WriteKindMembers(JsonWriter& json) {
  json.Member("apiVersion").Object({{"type", "string"}, {"description", "Version of the schema."}});
  json.Member("kind").Object({{"type", "string"}, {"description", "Name of the kind."}});
}

void WriteSecuritySchemes(JsonWriter& json) {
  json.Member("securitySchemes").Object([&] {
    json.Member("BearerToken")
        .Object({{"type", "apiKey"},
                 {"description", "Bearer Token authentication"},
                 {"name", "authorization"},
                 {"in", "header"}});
  });
}

void Schemas::SetPrefix(const KindInfo& kind) {
  const std::string_view group =
      kind.group.empty() ? "core" : kind.group.substr(0, kind.group.find('.'));
  prefix_ = fmt::format("io.k8s.api.{}.{}.", group, kind.version);
}

void Schemas::Announce(const KindInfo& kind) {
  SetPrefix(kind);
  kinds_[&kind.type()].push_back(&kind);
  NameOf(kind.type());
}

void Schemas::WriteKind(const KindInfo& kind) {
  SetPrefix(kind);
  Struct(kind.type());
  List(kind, NameOf(kind.type()));
  while (!waiting_.empty()) {
    const Type* next = waiting_.back();
    waiting_.pop_back();
    Struct(*next);
  }
}

std::string Schemas::NameOf(const Type& type) {
  const auto known = names_.find(&type);
  if (known != names_.end()) return known->second;
  const std::string_view prefix =
      IsMeta(type) ? "io.k8s.apimachinery.pkg.apis.meta.v1." : std::string_view(prefix_);
  std::string name = fmt::format("{}{}", prefix, type.name);
  while (!taken_.insert(name).second) name += '_';
  names_.emplace(&type, name);
  return name;
}

std::string Schemas::Refer(const Type& type) {
  if (!written_.contains(&type)) waiting_.push_back(&type);
  return NameOf(type);
}

std::string Schemas::PathOf(std::string_view name) const {
  return fmt::format(
      "#/{}/{}", form_ == OpenApiForm::kV2 ? "definitions" : "components/schemas", name);
}

void Schemas::WriteReference(std::string_view name) {
  json_.Object({{"$ref", PathOf(name)}});
}

void Schemas::List(const KindInfo& kind, const std::string& name) {
  if (kind.create_only) return;
  json_.Member(name + "List").Object([&] {
    json_.Member("description", fmt::format("A list of objects of kind {}.", kind.kind));
    json_.Member("type", "object");
    json_.Member("required").Array([&] { json_.Value("items"); });
    json_.Member("properties").Object([&] {
      json_.Member("apiVersion").Object({{"type", "string"}});
      json_.Member("items").Object([&] {
        json_.Member("type", "array");
        json_.Member("items");
        WriteReference(name);
      });
      json_.Member("kind").Object({{"type", "string"}});
      json_.Member("metadata").Object([&] { Of(TypeOf<meta_v1::ListMeta>()); });
    });
    json_.Member(kKindExtension).Array([&] {
      WriteKindName(kind, fmt::format("{}List", kind.kind), json_);
    });
  });
}

void Schemas::Struct(const Type& type) {
  if (!written_.insert(&type).second) return;
  const auto found = kinds_.find(&type);
  const bool is_kind = found != kinds_.end();
  json_.Member(NameOf(type)).Object([&] {
    Description(type);
    json_.Member("type", "object");
    const std::vector<const Field*> fields = FieldsOf(type);
    const auto is_required = [](const Field* field) { return field->facets.required; };
    if (std::ranges::any_of(fields, is_required)) {
      json_.Member("required").Array([&] {
        for (const Field* field : fields | std::views::filter(is_required))
          json_.Value(field->name);
      });
    }
    json_.Member("properties").Object([&] {
      if (is_kind) WriteKindMembers(json_);
      for (const Field* field : fields) {
        json_.Member(field->name).Object([&] { Property(*field); });
      }
    });
    if (!is_kind) return;
    json_.Member(kKindExtension).Array([&] {
      for (const KindInfo* kind : found->second) WriteKindName(*kind, kind->kind, json_);
    });
  });
}

// Kinds of others may have no words.
void Schemas::Description(const Type& type) {
  const std::string_view words = api::DocOf(type);
  json_.Member("description", words.empty() ? type.name : words);
}

// The fields that documents of this release have; those of inlined structs in their place.
std::vector<const Field*> Schemas::FieldsOf(const Type& type) const {
  std::vector<const Field*> fields;
  for (const Field& field : type.fields) {
    if (!field.IsOn(wire_)) continue;
    if (!field.facets.inlined) {
      fields.push_back(&field);
      continue;
    }
    const std::vector<const Field*> inner = FieldsOf(Plain(field.type()));
    fields.insert(fields.end(), inner.begin(), inner.end());
  }
  return fields;
}

// The members of a schema with the facets of the field: how it merges, what it is for.
void Schemas::Property(const Field& field) {
  if (form_ == OpenApiForm::kV3 && Plain(field.type()).kind == TypeKind::kStruct) {
    // Nothing stands beside "$ref", so a reference with more to say is wrapped.
    json_.Member("allOf").Array([&] { json_.Object([&] { Of(field.type()); }); });
  } else {
    Of(field.type());
  }
  if (!field.doc.empty()) json_.Member("description", field.doc);
  Merging(field.facets);
}

void Schemas::Merging(const api::Facets& facets) {
  if (facets.list != ListKind::kUndeclared) {
    json_.Member("x-kubernetes-list-type",
                 facets.list == ListKind::kAtomic ? "atomic"
                 : facets.list == ListKind::kSet  ? "set"
                                                  : "map");
  }
  if (!facets.list_keys.empty()) {
    json_.Member("x-kubernetes-list-map-keys").Array([&] { Words(facets.list_keys); });
  }
  if (facets.atomic_map) json_.Member("x-kubernetes-map-type", "atomic");
  if (!facets.merge_key.empty()) json_.Member("x-kubernetes-patch-merge-key", facets.merge_key);
  if (!facets.patch_strategy.empty())
    json_.Member("x-kubernetes-patch-strategy", facets.patch_strategy);
}

void Schemas::Words(std::string_view list) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    json_.Value(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

// The members of the schema of `type`.
void Schemas::Of(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool: return json_.Member("type", "boolean");
    case TypeKind::kInt32: return Format("integer", "int32");
    case TypeKind::kInt64: return Format("integer", "int64");
    case TypeKind::kString:
    case TypeKind::kDuration: return json_.Member("type", "string");
    case TypeKind::kBytes: return Format("string", "byte");
    case TypeKind::kQuantity: return Either("string", "number");
    case TypeKind::kTime:
    case TypeKind::kMicroTime: return Format("string", "date-time");
    case TypeKind::kIntOrString:
      json_.Member("format", "int-or-string");
      return Either("integer", "string");
    case TypeKind::kRawJson:
      json_.Member("type", "object");
      if (form_ == OpenApiForm::kV3) json_.Member("x-kubernetes-preserve-unknown-fields", true);
      return;
    case TypeKind::kOptional: return Of(type.element());
    case TypeKind::kList:
      json_.Member("type", "array");
      return json_.Member("items").Object([&] { Of(type.element()); });
    case TypeKind::kMap:
      json_.Member("type", "object");
      return json_.Member("additionalProperties").Object([&] { Of(type.element()); });
    case TypeKind::kStruct: return json_.Member("$ref", PathOf(Refer(type)));
  }
}

void Schemas::Format(std::string_view type, std::string_view format) {
  json_.Member("type", type);
  json_.Member("format", format);
}

// Version 2 has no alternatives; its readers take numbers for texts.
void Schemas::Either(std::string_view first, std::string_view second) {
  if (form_ == OpenApiForm::kV2) return json_.Member("type", "string");
  json_.Member("oneOf").Array([&] {
    json_.Object({{"type", first}});
    json_.Object({{"type", second}});
  });
}

}  // namespace dray::server::documents
