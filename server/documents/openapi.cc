// SPDX-License-Identifier: Apache-2.0
#include "server/documents/openapi.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "api/meta_v1/list_meta.h"
#include "server/documents/discovery.h"

namespace dray::server::documents {
namespace {

using api::Field;
using api::JsonText;
using api::JsonWriter;
using api::KindInfo;
using api::ListKind;
using api::Type;
using api::TypeKind;

std::string Capitalised(std::string_view word) {
  std::string out(word);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

// "resource.k8s.io", "v1": ResourceV1; the core group: CoreV1. Generators make method names of it.
std::string CamelVersion(std::string_view group, std::string_view version) {
  constexpr std::string_view kSuffix = ".k8s.io";
  if (group.ends_with(kSuffix)) group.remove_suffix(kSuffix.size());
  std::string camel = group.empty() ? "Core" : "";
  while (!group.empty()) {
    const size_t dot = std::min(group.find('.'), group.size());
    camel += Capitalised(group.substr(0, dot));
    group.remove_prefix(std::min(dot + 1, group.size()));
  }
  return camel + Capitalised(version);
}

void WriteGvk(const KindInfo& kind, std::string_view word, JsonWriter& json) {
  json.Object({{"group", kind.group}, {"version", kind.version}, {"kind", word}});
}

std::string PathOf(std::string_view name) {
  return fmt::format("#/components/schemas/{}", name);
}

void WriteReference(std::string_view name, JsonWriter& json) {
  json.Object({{"$ref", PathOf(name)}});
}

constexpr std::string_view kGvk = "x-kubernetes-group-version-kind";

// The schemas of one document: each struct once, whatever refers to it. Writes them as members.
class Schemas {
 public:
  Schemas(std::string_view group, std::string_view version, api::Release release, JsonWriter& json)
      : wire_{.release = release},
        prefix_(fmt::format("io.k8s.api.{}.{}.", group.substr(0, group.find('.')), version)),
        json_(json) {
    if (group.empty()) prefix_ = fmt::format("io.k8s.api.core.{}.", version);
  }

  /// Writes the schemas of a kind, of its list, and of what they refer to.
  void WriteKind(const KindInfo& kind) {
    const Type& type = kind.type();
    const std::string name = NameOf(type);
    Struct(type, name, &kind);
    List(kind, name);
    while (!waiting_.empty()) {
      const Type* next = waiting_.back();
      waiting_.pop_back();
      Struct(*next, NameOf(*next), nullptr);
    }
  }

  /// Under which name the schema of `type` stands.
  std::string NameOf(const Type& type) {
    const auto known = names_.find(&type);
    if (known != names_.end()) return known->second;
    std::string name = prefix_ + std::string(type.name);
    while (!taken_.insert(name).second) name += '_';
    names_.emplace(&type, name);
    return name;
  }

 private:
  void List(const KindInfo& kind, const std::string& name) {
    json_.Member(name + "List").Object([&] {
      json_.Member("type", "object");
      json_.Member("required").Array([&] { json_.Value("items"); });
      json_.Member("properties").Object([&] {
        json_.Member("apiVersion").Object({{"type", "string"}});
        json_.Member("items").Object([&] {
          json_.Member("type", "array");
          WriteReference(name, json_.Member("items"));
        });
        json_.Member("kind").Object({{"type", "string"}});
        json_.Member("metadata").Object([&] { Of(api::TypeOf<api::meta_v1::ListMeta>()); });
      });
      json_.Member(kGvk).Array([&] { WriteGvk(kind, fmt::format("{}List", kind.kind), json_); });
    });
  }

  // `kind`: of which this is the struct; null if of none.
  void Struct(const Type& type, const std::string& name, const KindInfo* kind) {
    if (!written_.insert(&type).second) return;
    json_.Member(name).Object([&] {
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
        if (kind != nullptr) {
          json_.Member("apiVersion")
              .Object({{"type", "string"}, {"description", "Version of the schema."}});
          json_.Member("kind").Object({{"type", "string"}, {"description", "Name of the kind."}});
        }
        for (const Field* field : fields) {
          json_.Member(field->name).Object([&] { Property(*field); });
        }
      });
      if (kind != nullptr) json_.Member(kGvk).Array([&] { WriteGvk(*kind, kind->kind, json_); });
    });
  }

  // The fields that documents of this release have; those of inlined structs in their place.
  std::vector<const Field*> FieldsOf(const Type& type) const {
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

  static const Type& Plain(const Type& type) {
    const Type* inner = &type;
    while (inner->kind == TypeKind::kOptional) inner = &inner->element();
    return *inner;
  }

  // The members of a schema with the facets of the field: how it merges, what it is for.
  void Property(const Field& field) {
    if (Plain(field.type()).kind == TypeKind::kStruct) {
      // Nothing stands beside "$ref", so a reference with more to say is wrapped.
      json_.Member("allOf").Array([&] { json_.Object([&] { Of(field.type()); }); });
    } else {
      Of(field.type());
    }
    const api::Facets& facets = field.facets;
    if (!field.doc.empty()) json_.Member("description", field.doc);
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

  void Words(std::string_view list) {
    while (!list.empty()) {
      const size_t end = std::min(list.find(','), list.size());
      json_.Value(list.substr(0, end));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  }

  // The members of the schema of `type`.
  void Of(const Type& type) {
    switch (type.kind) {
      case TypeKind::kBool: return json_.Member("type", "boolean");
      case TypeKind::kInt32: return Format("integer", "int32");
      case TypeKind::kInt64: return Format("integer", "int64");
      case TypeKind::kString:
      case TypeKind::kDuration: return json_.Member("type", "string");
      case TypeKind::kBytes: return Format("string", "byte");
      case TypeKind::kQuantity: return OneOf("string", "number");
      case TypeKind::kTime:
      case TypeKind::kMicroTime: return Format("string", "date-time");
      case TypeKind::kIntOrString:
        json_.Member("format", "int-or-string");
        return OneOf("integer", "string");
      case TypeKind::kRawJson:
        json_.Member("type", "object");
        return json_.Member("x-kubernetes-preserve-unknown-fields", true);
      case TypeKind::kOptional: return Of(type.element());
      case TypeKind::kList:
        json_.Member("type", "array");
        return json_.Member("items").Object([&] { Of(type.element()); });
      case TypeKind::kMap:
        json_.Member("type", "object");
        return json_.Member("additionalProperties").Object([&] { Of(type.element()); });
      case TypeKind::kStruct:
        if (!written_.contains(&type)) waiting_.push_back(&type);
        return json_.Member("$ref", PathOf(NameOf(type)));
    }
  }

  void Format(std::string_view type, std::string_view format) {
    json_.Member("type", type);
    json_.Member("format", format);
  }

  void OneOf(std::string_view first, std::string_view second) {
    json_.Member("oneOf").Array([&] {
      json_.Object({{"type", first}});
      json_.Object({{"type", second}});
    });
  }

  api::Wire wire_;
  std::string prefix_;
  JsonWriter& json_;
  std::map<const Type*, std::string> names_;
  std::set<std::string> taken_;
  std::set<const Type*> written_;
  std::vector<const Type*> waiting_;
};

void WriteQueryParameter(std::string_view name, std::string_view type, JsonWriter& json) {
  json.Object([&] {
    json.Member("name", name);
    json.Member("in", "query");
    json.Member("schema").Object({{"type", type}, {"uniqueItems", true}});
  });
}

void WritePathParameter(std::string_view name, JsonWriter& json) {
  json.Object([&] {
    json.Member("name", name);
    json.Member("in", "path");
    json.Member("required", true);
    json.Member("schema").Object({{"type", "string"}});
  });
}

struct Parameter {
  std::string_view name, type;
};
using Parameters = std::span<const Parameter>;
using MediaTypes = std::span<const std::string_view>;

constexpr MediaTypes kNoBody = {};
constexpr std::string_view kObjectTypes[] = {"application/json", "application/yaml"};
constexpr std::string_view kPatchTypes[] = {"application/apply-patch+yaml",
                                            "application/json-patch+json",
                                            "application/merge-patch+json",
                                            "application/strategic-merge-patch+json"};

constexpr Parameter kWriteParameters[] = {
    {"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}};
constexpr Parameter kPatchParameters[] = {{"dryRun", "string"},
                                          {"fieldManager", "string"},
                                          {"fieldValidation", "string"},
                                          {"force", "boolean"}};
constexpr Parameter kDeleteParameters[] = {
    {"dryRun", "string"}, {"gracePeriodSeconds", "integer"}, {"propagationPolicy", "string"}};
constexpr Parameter kListParameters[] = {{"continue", "string"},
                                         {"fieldSelector", "string"},
                                         {"labelSelector", "string"},
                                         {"resourceVersion", "string"},
                                         {"resourceVersionMatch", "string"},
                                         {"allowWatchBookmarks", "boolean"},
                                         {"sendInitialEvents", "boolean"},
                                         {"watch", "boolean"},
                                         {"limit", "integer"},
                                         {"timeoutSeconds", "integer"}};

// One operation on a path. `request` has the media types of a body; a patch is any object.
struct Operation {
  std::string_view method, action, id_verb;
  Parameters parameters = {};
  MediaTypes request = kNoBody;
};

constexpr Operation kList = {
    .method = "get", .action = "list", .id_verb = "list", .parameters = kListParameters};
constexpr Operation kCreate = {.method = "post",
                               .action = "post",
                               .id_verb = "create",
                               .parameters = kWriteParameters,
                               .request = kObjectTypes};
constexpr Operation kOfCollections[] = {kList, kCreate};
constexpr Operation kOfItems[] = {
    {.method = "get", .action = "get", .id_verb = "read"},
    {.method = "put",
     .action = "put",
     .id_verb = "replace",
     .parameters = kWriteParameters,
     .request = kObjectTypes},
    {.method = "patch",
     .action = "patch",
     .id_verb = "patch",
     .parameters = kPatchParameters,
     .request = kPatchTypes},
    {.method = "delete", .action = "delete", .id_verb = "delete", .parameters = kDeleteParameters}};

// Writes the paths of one document, as members.
class Paths {
 public:
  Paths(Schemas& schemas, std::string_view camel_version, JsonWriter& json)
      : schemas_(schemas), camel_version_(camel_version), json_(json) {}

  void WriteKind(const KindInfo& kind) {
    const std::string base = kind.group.empty()
                                 ? fmt::format("/api/{}", kind.version)
                                 : fmt::format("/apis/{}/{}", kind.group, kind.version);
    const std::string scope = kind.namespaced ? "/namespaces/{namespace}" : "";
    const std::string collection = fmt::format("{}{}/{}", base, scope, kind.plural);
    const std::span<const Operation> all = kOfCollections;
    if (kind.create_only) return Path(kind, collection, all.last(1), Item::kNo);
    Path(kind, collection, all, Item::kNo);
    const std::string item = collection + "/{name}";
    Path(kind, item, kOfItems, Item::kYes);
    if (kind.has_status) {
      suffix_ = "Status";
      Path(kind, item + "/status", std::span(kOfItems).first(3), Item::kYes);  // no delete
      suffix_ = "";
    }
  }

 private:
  enum class Item : uint8_t { kNo, kYes };

  void Path(const KindInfo& kind,
            const std::string& path,
            std::span<const Operation> operations,
            Item item) {
    json_.Member(path).Object([&] {
      for (const Operation& operation : operations) {
        json_.Member(operation.method).Object([&] { Members(kind, operation); });
      }
      json_.Member("parameters").Array([&] {
        if (item == Item::kYes) WritePathParameter("name", json_);
        if (kind.namespaced) WritePathParameter("namespace", json_);
        WriteQueryParameter("pretty", "string", json_);
      });
    });
  }

  void Members(const KindInfo& kind, const Operation& operation) {
    json_.Member("operationId",
                 fmt::format("{}{}{}{}{}",
                             operation.id_verb,
                             camel_version_,
                             kind.namespaced ? "Namespaced" : "",
                             kind.kind,
                             suffix_));
    json_.Member("x-kubernetes-action", operation.action);
    WriteGvk(kind, kind.kind, json_.Member(kGvk));
    json_.Member("parameters").Array([&] {
      for (const Parameter& parameter : operation.parameters)
        WriteQueryParameter(parameter.name, parameter.type, json_);
    });
    std::string object = schemas_.NameOf(kind.type());
    if (!operation.request.empty()) {
      json_.Member("requestBody").Object([&] {
        json_.Member("required", true);
        const bool is_patch = operation.request.data() == MediaTypes(kPatchTypes).data();
        Content(operation.request, is_patch ? "" : object);
      });
    }
    if (operation.action == kList.action) object += "List";
    json_.Member("responses").Object([&] {
      json_.Member("200").Object([&] {
        json_.Member("description", "OK");
        Content(kObjectTypes, object);
      });
      json_.Member("401").Object({{"description", "Unauthorized"}});
    });
  }

  // What has one of these types: an object of the schema `name`; any object if that is empty.
  void Content(MediaTypes types, std::string_view name) {
    json_.Member("content").Object([&] {
      for (const std::string_view type : types) {
        json_.Member(type).Object([&] {
          json_.Member("schema");
          if (name.empty()) return json_.Object({{"type", "object"}});
          WriteReference(name, json_);
        });
      }
    });
  }

  Schemas& schemas_;
  std::string camel_version_;
  std::string_view suffix_;
  JsonWriter& json_;
};

std::string ReleaseText(api::Release release) {
  return fmt::format("1.{}",
                     MinorOf(release == api::Release::kAny ? api::Release::kNewest : release));
}

void WriteInfo(std::string_view version, JsonWriter& json) {
  json.Object({{"title", "Kubernetes"}, {"version", version}});
}

struct Version {
  std::string_view group, name;
  api::Release release;
};

// The document of one version. The paths come first and refer to schemas, which follow.
std::string VersionDocument(const Version& version, std::span<const KindInfo* const> kinds) {
  std::string text;
  JsonWriter json(text);
  Schemas schemas(version.group, version.name, version.release, json);
  Paths paths(schemas, CamelVersion(version.group, version.name), json);
  json.Object([&] {
    json.Member("openapi", "3.0.0");
    WriteInfo(ReleaseText(version.release), json.Member("info"));
    json.Member("paths").Object([&] {
      for (const KindInfo* kind : kinds) paths.WriteKind(*kind);
    });
    json.Member("components").Object([&] {
      json.Member("schemas").Object([&] {
        for (const KindInfo* kind : kinds) schemas.WriteKind(*kind);
      });
    });
  });
  return text;
}

OpenApi::Document Finished(std::string json) {
  std::string etag = EntityTag(json);
  return {.json = std::move(json), .etag = std::move(etag)};
}

}  // namespace

const OpenApi::Documents& OpenApi::All() const {
  return documents_->Get([this] { return Make(); });
}

OpenApi::Documents OpenApi::Make() const {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const KindInfo*>> versions;
  for (const KindInfo* kind : scheme_.kinds()) {
    if (kind->served) versions[{kind->group, kind->version}].push_back(kind);
  }
  Documents made;
  for (const auto& [version, kinds] : versions) {
    const std::string key = version.first.empty()
                                ? fmt::format("api/{}", version.second)
                                : fmt::format("apis/{}/{}", version.first, version.second);
    made.v3.emplace(key,
                    Finished(VersionDocument({version.first, version.second, release_}, kinds)));
  }
  made.index = JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("paths").Object([&] {
        for (const auto& [path, document] : made.v3) {
          const std::string_view hash =
              std::string_view(document.etag).substr(1, document.etag.size() - 2);
          json.Member(path).Object(
              {{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", path, hash)}});
        }
      });
    });
  });
  made.v2 = Finished(JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("swagger", "2.0");
      WriteInfo(fmt::format("v{}.0", ReleaseText(release_)), json.Member("info"));
      json.Member("paths").Object([] {});
      json.Member("definitions").Object([] {});
    });
  }));
  return made;
}

const OpenApi::Document* OpenApi::Find(std::string_view path) const {
  const auto& v3 = All().v3;
  const auto found = v3.find(path);
  return found == v3.end() ? nullptr : &found->second;
}

}  // namespace dray::server::documents
