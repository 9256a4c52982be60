// SPDX-License-Identifier: Apache-2.0
#include "server/documents/openapi_schemas.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/codec/tree_json.h"
#include "api/custom_kind.h"
#include "api/docs.h"
#include "api/meta_v1/condition.h"
#include "api/meta_v1/label_selector.h"
#include "api/meta_v1/list_meta.h"
#include "api/meta_v1/object_meta.h"
#include "api/meta_v1/options.h"
#include "api/meta_v1/status.h"
#include "server/documents/openapi_custom.h"

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

// Structs of meta/v1 that are members of other structs, which are the same in all versions.
bool IsMeta(const Type& type) {
  const std::array meta = {&TypeOf<meta_v1::ObjectMeta>(),
                           &TypeOf<meta_v1::ListMeta>(),
                           &TypeOf<meta_v1::ShardInfo>(),
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

/// Prefix of the names for a version of a group.
std::string PrefixOf(const KindInfo& kind) {
  if (kind.group == "apiextensions.k8s.io") {
    return fmt::format("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.{}.", kind.version);
  }
  if (kind.group == "apiregistration.k8s.io") {
    return fmt::format("io.k8s.kube-aggregator.pkg.apis.apiregistration.{}.", kind.version);
  }
  const std::string_view group = kind.group.empty() ? "core"
                                 : kind.group == "internal.apiserver.k8s.io"
                                     ? "apiserverinternal"
                                     : kind.group.substr(0, kind.group.find('.'));
  return fmt::format("io.k8s.api.{}.{}.", group, kind.version);
}

using Prefixes = std::map<const Type*, std::string>;

void Claim(const Type& type, const std::string& prefix, Prefixes& prefixes) {
  if (type.element_type != nullptr) return Claim(type.element(), prefix, prefixes);
  if (type.kind != TypeKind::kStruct || !prefixes.emplace(&type, prefix).second) return;
  for (const Field& field : type.fields) Claim(field.type(), prefix, prefixes);
}

/// Versions share structs, and groups share those of the core. A struct belongs to the version that
/// comes first in discovery.
Prefixes PrefixesOf(std::span<const KindInfo* const> builtin) {
  std::vector<const KindInfo*> kinds(builtin.begin(), builtin.end());
  std::ranges::sort(kinds, {}, [](const KindInfo* kind) {
    return std::tuple(
        !kind->group.empty(), kind->version.size(), kind->version, kind->group, kind->kind);
  });
  Prefixes prefixes;
  for (const KindInfo* kind : kinds) Claim(kind->type(), PrefixOf(*kind), prefixes);
  return prefixes;
}

/// Values with a syntax of their own have a schema of their own.
struct NamedScalar {
  TypeKind kind;
  std::string_view name, doc;
};
constexpr std::array kNamedScalars = {
    NamedScalar{TypeKind::kQuantity,
                "io.k8s.apimachinery.pkg.api.resource.Quantity",
                "An amount: a number, and what it is multiplied with (500m, 1.5Gi, 2e3)."},
    NamedScalar{TypeKind::kTime,
                "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
                "A second, as RFC 3339 writes it."},
    NamedScalar{TypeKind::kMicroTime,
                "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
                "A microsecond, as RFC 3339 writes it."},
    NamedScalar{TypeKind::kIntOrString,
                "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
                "A number or a text, such as a port or its name."},
    NamedScalar{TypeKind::kRawJson,
                "io.k8s.apimachinery.pkg.runtime.RawExtension",
                "An object that is kept as it is."}};
constexpr NamedScalar kFieldsV1{TypeKind::kRawJson,
                                "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1",
                                "A set of fields, as a tree of their names."};
constexpr NamedScalar kAnyJson{TypeKind::kRawJson,
                               "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON",
                               "Any value."};
constexpr NamedScalar kPatchScalar{TypeKind::kRawJson,
                                   "io.k8s.apimachinery.pkg.apis.meta.v1.Patch",
                                   "A patch in one of its forms."};

const NamedScalar* FindNamed(const Type& type) {
  if (&type == &TypeOf<api::AnyJson>()) return &kAnyJson;
  const auto* const found = std::ranges::find(kNamedScalars, type.kind, &NamedScalar::kind);
  return found == kNamedScalars.end() ? nullptr : found;
}

constexpr std::string_view kWatchEvent = "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent";

/// Structs with kind and apiVersion that are never stored.
bool IsAnswer(const Type& type) {
  return &type == &TypeOf<meta_v1::Status>() || &type == &TypeOf<meta_v1::DeleteOptions>();
}

/// The value of a member of this type, which is always written, before it is set.
std::string_view ZeroOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBool: return "false";
    case TypeKind::kInt32:
    case TypeKind::kInt64: return "0";
    case TypeKind::kString: return R"("")";
    case TypeKind::kStruct: return "{}";
    default: return {};
  }
}

const Type& Plain(const Type& type) {
  const Type* inner = &type;
  while (inner->kind == TypeKind::kOptional) inner = &inner->element();
  return *inner;
}

std::string_view PrefixOf(const Type& type) {
  static const Prefixes kPrefixes = PrefixesOf(api::BuiltinKinds());
  if (IsMeta(type)) return "io.k8s.apimachinery.pkg.apis.meta.v1.";
  const auto found = kPrefixes.find(&type);
  return found == kPrefixes.end() ? std::string_view("io.k8s.api.") : found->second;
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

void Schemas::Announce(const KindInfo& kind) {
  if (api::IsCustom(kind)) return;  // its name is no other's
  kinds_[&kind.type()].push_back(&kind);
  NameOf(kind.type());
}

void Schemas::WriteKind(const KindInfo& kind) {
  if (const api::CustomKind* custom = api::CustomOf(kind); custom != nullptr) {
    const std::string name = CustomSchemaName(*custom);
    const std::string metadata = PathOf(Refer(TypeOf<meta_v1::ObjectMeta>()));
    json_.Member(name).Raw(api::ToJson(CustomSchema(*custom, form_, metadata)));
    List(kind, name);
  } else {
    Struct(kind.type());
    List(kind, NameOf(kind.type()));
  }
  while (!waiting_.empty()) {
    const Type* next = waiting_.back();
    waiting_.pop_back();
    Struct(*next);
  }
  WriteWatchEvent();
  WriteScalars();
}

void Schemas::WriteWatchEvent() {
  if (!refers_to_events_ || std::exchange(events_written_, true)) return;
  const std::string_view any_object = FindNamed(TypeOf<api::RawJson>())->name;
  scalars_.insert(any_object);
  json_.Member(kWatchEvent).Object([&] {
    json_.Member("description", "A change that a watch tells of.");
    json_.Member("type", "object");
    json_.Member("required").ArrayOf(std::array<std::string_view, 2>{"type", "object"});
    json_.Member("properties").Object([&] {
      json_.Member("object").Object([&] {
        json_.Member("description", "The object as it is then; of ERROR a Status.");
        const std::string path = PathOf(any_object);
        if (form_ == OpenApiForm::kV2) return json_.Member("$ref", path);
        json_.Member("allOf").Array([&] { json_.Object({{"$ref", path}}); });
      });
      json_.Member("type").Object([&] {
        json_.Member("type", "string");
        if (form_ == OpenApiForm::kV3) json_.Member("default", "");
      });
    });
    json_.Member(kKindExtension).Array([&] {
      json_.Object({{"group", ""}, {"version", "v1"}, {"kind", "WatchEvent"}});
    });
  });
}

void Schemas::WriteScalars() {
  const auto write = [&](const NamedScalar& scalar) {
    if (!scalars_.contains(scalar.name) || !scalars_written_.insert(scalar.name).second) return;
    json_.Member(scalar.name).Object([&] {
      json_.Member("description", scalar.doc);
      if (&scalar != &kAnyJson) Scalar(scalar.kind, {});
    });
  };
  for (const NamedScalar& scalar : kNamedScalars) write(scalar);
  write(kAnyJson);
  write(kFieldsV1);
  write(kPatchScalar);
}

std::string Schemas::NameOf(const Type& type) {
  const auto known = names_.find(&type);
  if (known != names_.end()) return known->second;
  std::string name = fmt::format("{}{}", PrefixOf(type), type.name);
  while (!taken_.insert(name).second) name += '_';
  names_.emplace(&type, name);
  return name;
}

std::string Schemas::Refer(const Type& type) {
  if (!written_.contains(&type)) waiting_.push_back(&type);
  return NameOf(type);
}

std::string Schemas::ReferKind(const KindInfo& kind) {
  if (const api::CustomKind* custom = api::CustomOf(kind)) return CustomSchemaName(*custom);
  if (!names_.contains(&kind.type())) {
    Announce(kind);
  }
  return Refer(kind.type());
}

std::string Schemas::ReferWatchEvent() {
  refers_to_events_ = true;
  return std::string(kWatchEvent);
}

std::string Schemas::ReferPatch() {
  scalars_.insert(kPatchScalar.name);
  return std::string(kPatchScalar.name);
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
      WriteKindMembers(json_);
      json_.Member("items").Object([&] {
        json_.Member("description", "The objects.");
        json_.Member("type", "array");
        json_.Member("items");
        WriteReference(name);
      });
      json_.Member("metadata").Object([&] {
        json_.Member("description", "Where the list stands, and whether there is more.");
        const Type& metadata = TypeOf<meta_v1::ListMeta>();
        if (form_ == OpenApiForm::kV2) return Of(metadata);
        json_.Member("allOf").Array([&] { json_.Object([&] { Of(metadata); }); });
        if (!api::IsCustom(kind)) json_.Member("default").Raw("{}");
      });
    });
    json_.Member(kKindExtension).Array([&] { WriteKindName(kind, api::ListKindOf(kind), json_); });
    const api::CustomKind* custom = api::CustomOf(kind);
    const std::string selectable = custom == nullptr ? "" : SelectableFields(*custom);
    if (!selectable.empty()) json_.Member(kSelectableExtension).Raw(selectable);
  });
}

void Schemas::Struct(const Type& type) {
  if (!written_.insert(&type).second) return;
  const bool is_kind = kinds_.contains(&type) || IsAnswer(type);
  json_.Member(NameOf(type)).Object([&] {
    Description(type);
    if (type.one_form) return;  // has several types, which documents cannot express
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
    if (type.atomic) json_.Member("x-kubernetes-map-type", "atomic");
    if (is_kind) KindNames(type);
  });
}

void Schemas::KindNames(const Type& type) {
  json_.Member(kKindExtension).Array([&] {
    const auto found = kinds_.find(&type);
    if (found == kinds_.end()) {
      return json_.Object({{"group", ""}, {"version", "v1"}, {"kind", type.name}});
    }
    for (const KindInfo* kind : found->second) WriteKindName(*kind, kind->kind, json_);
  });
}

// Kinds of other programs may have no description.
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

bool Schemas::IsNamed(const Type& type) const {
  if (type.kind == TypeKind::kStruct) return true;
  return FindNamed(type) != nullptr;
}

// The members of a schema from the facets of the field: how it merges, its documentation.
void Schemas::Property(const Field& field) {
  if (form_ == OpenApiForm::kV3 && IsNamed(Plain(field.type()))) {
    // No member may stand beside "$ref", so a reference with other members is wrapped.
    json_.Member("allOf").Array([&] { json_.Object([&] { Value(field); }); });
  } else {
    Value(field);
  }
  if (!field.doc.empty()) json_.Member("description", field.doc);
  if (form_ == OpenApiForm::kV3) Default(field);
  Merging(field.facets);
}

void Schemas::Value(const Field& field) {
  if (Plain(field.type()).kind != TypeKind::kRawJson || field.name != "fieldsV1") {
    return Of(field.type(), field.facets.values);
  }
  scalars_.insert(kFieldsV1.name);
  json_.Member("$ref", PathOf(kFieldsV1.name));
}

void Schemas::Default(const Field& field) {
  const Type& type = field.type();
  const api::Facets& facets = field.facets;
  if (!facets.default_value.empty()) {
    json_.Member("default");
    if (Plain(type).kind == TypeKind::kString) return json_.Value(facets.default_value);
    return json_.Raw(facets.default_value);
  }
  const bool is_written = facets.required && !facets.omit_empty;
  if (type.kind != TypeKind::kStruct && !is_written) return;
  if (const std::string_view zero = ZeroOf(type.kind); !zero.empty()) {
    json_.Member("default").Raw(zero);
  }
}

void Schemas::Merging(const api::Facets& facets) {
  if (facets.list != ListKind::kUndeclared) {
    json_.Member("x-kubernetes-list-type",
                 facets.list == ListKind::kAtomic ? "atomic"
                 : facets.list == ListKind::kSet  ? "set"
                                                  : "map");
  }
  if (!facets.list_keys.empty()) {
    json_.Member("x-kubernetes-list-map-keys").Array([&] { Words(facets.list_keys, ','); });
  }
  if (facets.atomic_map) json_.Member("x-kubernetes-map-type", "atomic");
  if (!facets.merge_key.empty()) json_.Member("x-kubernetes-patch-merge-key", facets.merge_key);
  if (!facets.patch_strategy.empty())
    json_.Member("x-kubernetes-patch-strategy", facets.patch_strategy);
}

void Schemas::Words(std::string_view list, char separator) {
  size_t end = 0;
  for (size_t begin = 0; end < list.size(); begin = end + 1) {
    end = std::min(list.find(separator, begin), list.size());
    json_.Value(list.substr(begin, end - begin));
  }
}

// The members of the schema of `type`; `values`: the allowed texts, of the value or its elements.
void Schemas::Of(const Type& type, std::string_view values) {
  switch (type.kind) {
    case TypeKind::kOptional: return Of(type.element(), values);
    case TypeKind::kList:
      json_.Member("type", "array");
      return json_.Member("items").Object([&] { Of(type.element(), values); });
    case TypeKind::kMap:
      json_.Member("type", "object");
      return json_.Member("additionalProperties").Object([&] { Of(type.element(), values); });
    case TypeKind::kStruct: return json_.Member("$ref", PathOf(Refer(type)));
    default: break;
  }
  const NamedScalar* const named = FindNamed(type);
  if (named == nullptr) return Scalar(type.kind, values);
  scalars_.insert(named->name);
  json_.Member("$ref", PathOf(named->name));
}

void Schemas::Scalar(TypeKind kind, std::string_view values) {
  switch (kind) {
    case TypeKind::kBool: return json_.Member("type", "boolean");
    case TypeKind::kInt32: return Format("integer", "int32");
    case TypeKind::kInt64: return Format("integer", "int64");
    case TypeKind::kDouble: return Format("number", "double");
    case TypeKind::kBytes: return Format("string", "byte");
    case TypeKind::kQuantity: return Either("string", "number");
    case TypeKind::kTime:
    case TypeKind::kMicroTime: return Format("string", "date-time");
    case TypeKind::kIntOrString:
      json_.Member("format", "int-or-string");
      return Either("integer", "string");
    case TypeKind::kRawJson: return json_.Member("type", "object");
    default: json_.Member("type", "string");
  }
  if (!values.empty()) json_.Member("enum").Array([&] { Words(values, '|'); });
}

void Schemas::Format(std::string_view type, std::string_view format) {
  json_.Member("type", type);
  json_.Member("format", format);
}

// Version 2 has no alternatives; its readers accept numbers as texts.
void Schemas::Either(std::string_view first, std::string_view second) {
  if (form_ == OpenApiForm::kV2) return json_.Member("type", "string");
  json_.Member("oneOf").Array([&] {
    json_.Object({{"type", first}});
    json_.Object({{"type", second}});
  });
}

}  // namespace dray::server::documents
