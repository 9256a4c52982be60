// SPDX-License-Identifier: Apache-2.0
#include "server/documents/openapi.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/meta_v1/list_meta.h"
#include "server/documents/discovery.h"

namespace dray::server::documents {
namespace {

using api::Field;
using api::KindInfo;
using api::ListKind;
using api::Type;
using api::TypeKind;

std::string Quote(std::string_view text) {
  std::string out;
  api::QuoteJson(text, out);
  return out;
}

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

std::string GvkJson(const KindInfo& kind) {
  return fmt::format(
      R"({{"group":"{}","version":"{}","kind":"{}"}})", kind.group, kind.version, kind.kind);
}

// Writes the schemas of one document: each struct once, whatever refers to it.
class Schemas {
 public:
  Schemas(std::string_view group, std::string_view version, api::Release release)
      : wire_{.release = release},
        prefix_(fmt::format("io.k8s.api.{}.{}.", group.substr(0, group.find('.')), version)) {
    if (group.empty()) prefix_ = fmt::format("io.k8s.api.core.{}.", version);
  }

  void AddKind(const KindInfo& kind) {
    const Type& type = kind.type();
    const std::string name = NameOf(type);
    const std::string extra =
        fmt::format(R"(,"x-kubernetes-group-version-kind":[{}])", GvkJson(kind));
    std::string members =
        R"("apiVersion":{"type":"string","description":"Version of the schema."},)"
        R"("kind":{"type":"string","description":"Name of the kind."})";
    Struct(type, name, std::move(members), extra);
    AddList(kind, name);
    Finish();
  }

  std::string Reference(const KindInfo& kind) { return Reference(NameOf(kind.type())); }

  const std::string& json() const { return json_; }

 private:
  static std::string Reference(const std::string& name) {
    return fmt::format(R"({{"$ref":"#/components/schemas/{}"}})", name);
  }

  std::string NameOf(const Type& type) {
    const auto known = names_.find(&type);
    if (known != names_.end()) return known->second;
    std::string name = prefix_ + std::string(type.name);
    while (!taken_.insert(name).second) name += '_';
    names_.emplace(&type, name);
    return name;
  }

  // Everything that was referred to and not yet written.
  void Finish() {
    while (!waiting_.empty()) {
      const Type* type = waiting_.back();
      waiting_.pop_back();
      Struct(*type, NameOf(*type), {}, {});
    }
  }

  void AddList(const KindInfo& kind, const std::string& name) {
    Comma();
    json_ += fmt::format(
        R"("{0}List":{{"type":"object","required":["items"],"properties":{{)"
        R"("apiVersion":{{"type":"string"}},"items":{{"type":"array","items":{1}}},)"
        R"("kind":{{"type":"string"}},"metadata":{2}}},"x-kubernetes-group-version-kind":[)"
        R"({{"group":"{3}","version":"{4}","kind":"{5}List"}}]}})",
        name,
        Reference(name),
        Of(api::TypeOf<api::meta_v1::ListMeta>()),
        kind.group,
        kind.version,
        kind.kind);
  }

  void Comma() {
    if (!json_.empty()) json_ += ',';
  }

  void Struct(const Type& type,
              const std::string& name,
              std::string members,
              std::string_view extra) {
    if (!written_.insert(&type).second) return;
    std::string required;
    Members(type, members, required);
    Comma();
    json_ += fmt::format(R"("{}":{{"type":"object")", name);
    if (!required.empty()) json_ += fmt::format(R"(,"required":[{}])", required);
    json_ += fmt::format(R"(,"properties":{{{}}}{}}})", members, extra);
  }

  void Members(const Type& type, std::string& members, std::string& required) {
    for (const Field& field : type.fields) {
      if (!field.IsOn(wire_)) continue;
      if (field.facets.inlined) {
        Members(Plain(field.type()), members, required);
        continue;
      }
      if (field.facets.required) {
        if (!required.empty()) required += ',';
        required += Quote(field.name);
      }
      if (!members.empty()) members += ',';
      members += fmt::format("{}:{}", Quote(field.name), Property(field));
    }
  }

  static const Type& Plain(const Type& type) {
    const Type* inner = &type;
    while (inner->kind == TypeKind::kOptional) inner = &inner->element();
    return *inner;
  }

  // A schema with the facets of the field: how it merges, what it is for.
  std::string Property(const Field& field) {
    std::string schema = Of(field.type());
    // Nothing stands beside "$ref", so a reference with more to say is wrapped.
    if (schema.starts_with(R"({"$ref")")) schema = fmt::format(R"({{"allOf":[{}]}})", schema);
    schema.pop_back();
    const api::Facets& facets = field.facets;
    if (!field.doc.empty()) schema += fmt::format(",\"description\":{}", Quote(field.doc));
    if (facets.list != ListKind::kUndeclared) {
      const std::string_view kind = facets.list == ListKind::kAtomic ? "atomic"
                                    : facets.list == ListKind::kSet  ? "set"
                                                                     : "map";
      schema += fmt::format(R"(,"x-kubernetes-list-type":"{}")", kind);
    }
    if (!facets.list_keys.empty()) {
      schema += fmt::format(R"(,"x-kubernetes-list-map-keys":[{}])", Words(facets.list_keys));
    }
    if (facets.atomic_map) schema += R"(,"x-kubernetes-map-type":"atomic")";
    if (!facets.merge_key.empty()) {
      schema += fmt::format(R"(,"x-kubernetes-patch-merge-key":"{}")", facets.merge_key);
    }
    if (!facets.patch_strategy.empty()) {
      schema += fmt::format(R"(,"x-kubernetes-patch-strategy":"{}")", facets.patch_strategy);
    }
    return schema + '}';
  }

  static std::string Words(std::string_view list) {
    std::string words;
    while (!list.empty()) {
      const size_t end = std::min(list.find(','), list.size());
      if (!words.empty()) words += ',';
      words += Quote(list.substr(0, end));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
    return words;
  }

  std::string Of(const Type& type) {
    switch (type.kind) {
      case TypeKind::kBool: return R"({"type":"boolean"})";
      case TypeKind::kInt32: return R"({"type":"integer","format":"int32"})";
      case TypeKind::kInt64: return R"({"type":"integer","format":"int64"})";
      case TypeKind::kString:
      case TypeKind::kDuration: return R"({"type":"string"})";
      case TypeKind::kBytes: return R"({"type":"string","format":"byte"})";
      case TypeKind::kQuantity: return R"({"oneOf":[{"type":"string"},{"type":"number"}]})";
      case TypeKind::kTime:
      case TypeKind::kMicroTime: return R"({"type":"string","format":"date-time"})";
      case TypeKind::kIntOrString:
        return R"({"format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}]})";
      case TypeKind::kRawJson:
        return R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})";
      case TypeKind::kOptional: return Of(type.element());
      case TypeKind::kList:
        return fmt::format(R"({{"type":"array","items":{}}})", Of(type.element()));
      case TypeKind::kMap:
        return fmt::format(R"({{"type":"object","additionalProperties":{}}})", Of(type.element()));
      case TypeKind::kStruct:
        if (!written_.contains(&type)) waiting_.push_back(&type);
        return Reference(NameOf(type));
    }
    return "{}";
  }

  api::Wire wire_;
  std::string prefix_;
  std::string json_;
  std::map<const Type*, std::string> names_;
  std::set<std::string> taken_;
  std::set<const Type*> written_;
  std::vector<const Type*> waiting_;
};

std::string QueryParameter(std::string_view name, std::string_view type) {
  return fmt::format(
      R"({{"name":"{}","in":"query","schema":{{"type":"{}","uniqueItems":true}}}})", name, type);
}

std::string PathParameter(std::string_view name) {
  return fmt::format(R"({{"name":"{}","in":"path","required":true,"schema":{{"type":"string"}}}})",
                     name);
}

std::string Content(std::initializer_list<std::string_view> types, std::string_view schema) {
  std::string out = "{";
  for (const std::string_view type : types) {
    if (out.size() > 1) out += ',';
    out += fmt::format(R"("{}":{{"schema":{}}})", type, schema);
  }
  return out + '}';
}

struct OperationText {
  std::string_view method, action, id_verb;
  std::vector<std::string> parameters;
  std::string request_content;  // empty: no body
  std::string response_schema;
};

// Writes the paths of one document.
class Paths {
 public:
  Paths(Schemas& schemas, std::string_view camel_version)
      : schemas_(schemas), camel_version_(camel_version) {}

  void AddKind(const KindInfo& kind) {
    const std::string base = kind.group.empty()
                                 ? fmt::format("/api/{}", kind.version)
                                 : fmt::format("/apis/{}/{}", kind.group, kind.version);
    const std::string scope = kind.namespaced ? "/namespaces/{namespace}" : "";
    const std::string collection = fmt::format("{}{}/{}", base, scope, kind.plural);
    const std::string object = schemas_.Reference(kind);
    const std::string json = Content({"application/json", "application/yaml"}, object);
    const OperationText create{.method = "post",
                               .action = "post",
                               .id_verb = "create",
                               .parameters = Write(),
                               .request_content = json,
                               .response_schema = object};
    if (kind.create_only) return Path(kind, collection, {create}, Item::kNo);
    Path(kind, collection, {List(kind), create}, Item::kNo);
    const std::string item = collection + "/{name}";
    Path(kind, item, ItemOperations(object, json), Item::kYes);
    if (kind.has_status) {
      auto operations = ItemOperations(object, json);
      operations.pop_back();  // no delete
      suffix_ = "Status";
      Path(kind, item + "/status", operations, Item::kYes);
      suffix_ = "";
    }
  }

  const std::string& json() const { return json_; }

 private:
  enum class Item : uint8_t { kNo, kYes };

  static std::vector<std::string> Write() {
    return {QueryParameter("dryRun", "string"),
            QueryParameter("fieldManager", "string"),
            QueryParameter("fieldValidation", "string")};
  }

  OperationText List(const KindInfo& kind) {
    std::string schema = schemas_.Reference(kind);
    schema.insert(schema.size() - 2, "List");
    std::vector<std::string> parameters;
    for (const std::string_view name : {"continue",
                                        "fieldSelector",
                                        "labelSelector",
                                        "resourceVersion",
                                        "resourceVersionMatch"}) {
      parameters.push_back(QueryParameter(name, "string"));
    }
    for (const std::string_view name : {"allowWatchBookmarks", "sendInitialEvents", "watch"}) {
      parameters.push_back(QueryParameter(name, "boolean"));
    }
    for (const std::string_view name : {"limit", "timeoutSeconds"}) {
      parameters.push_back(QueryParameter(name, "integer"));
    }
    return {.method = "get",
            .action = "list",
            .id_verb = "list",
            .parameters = std::move(parameters),
            .response_schema = std::move(schema)};
  }

  static std::vector<OperationText> ItemOperations(const std::string& object,
                                                   const std::string& json) {
    std::vector<std::string> patch = Write();
    patch.push_back(QueryParameter("force", "boolean"));
    return {{.method = "get", .action = "get", .id_verb = "read", .response_schema = object},
            {.method = "put",
             .action = "put",
             .id_verb = "replace",
             .parameters = Write(),
             .request_content = json,
             .response_schema = object},
            {.method = "patch",
             .action = "patch",
             .id_verb = "patch",
             .parameters = std::move(patch),
             .request_content = Content({"application/apply-patch+yaml",
                                         "application/json-patch+json",
                                         "application/merge-patch+json",
                                         "application/strategic-merge-patch+json"},
                                        R"({"type":"object"})"),
             .response_schema = object},
            {.method = "delete",
             .action = "delete",
             .id_verb = "delete",
             .parameters = {QueryParameter("dryRun", "string"),
                            QueryParameter("gracePeriodSeconds", "integer"),
                            QueryParameter("propagationPolicy", "string")},
             .response_schema = object}};
  }

  void Path(const KindInfo& kind,
            const std::string& path,
            const std::vector<OperationText>& operations,
            Item item) {
    if (!json_.empty()) json_ += ',';
    json_ += Quote(path) + ":{";
    for (const OperationText& operation : operations) {
      json_ += fmt::format(R"("{}":{{"operationId":"{}{}{}{}{}","x-kubernetes-action":"{}",)"
                           R"("x-kubernetes-group-version-kind":{},"parameters":[{}])",
                           operation.method,
                           operation.id_verb,
                           camel_version_,
                           kind.namespaced ? "Namespaced" : "",
                           kind.kind,
                           suffix_,
                           operation.action,
                           GvkJson(kind),
                           fmt::format("{}", fmt::join(operation.parameters, ",")));
      if (!operation.request_content.empty()) {
        json_ += fmt::format(R"(,"requestBody":{{"required":true,"content":{}}})",
                             operation.request_content);
      }
      json_ += fmt::format(
          R"(,"responses":{{"200":{{"description":"OK","content":{}}},"401":{{"description":"Unauthorized"}}}}}},)",
          Content({"application/json", "application/yaml"}, operation.response_schema));
    }
    std::vector<std::string> parameters;
    if (item == Item::kYes) parameters.push_back(PathParameter("name"));
    if (kind.namespaced) parameters.push_back(PathParameter("namespace"));
    parameters.push_back(QueryParameter("pretty", "string"));
    json_ += fmt::format(R"("parameters":[{}]}})", fmt::format("{}", fmt::join(parameters, ",")));
  }

  Schemas& schemas_;
  std::string camel_version_;
  std::string_view suffix_;
  std::string json_;
};

OpenApi::Document Finished(std::string json) {
  std::string etag = EntityTag(json);
  return {.json = std::move(json), .etag = std::move(etag)};
}

}  // namespace

const OpenApi::Documents& OpenApi::All() const {
  return documents_->Get([this] { return Make(); });
}

OpenApi::Documents OpenApi::Make() const {
  const std::string release = fmt::format(
      "1.{}", MinorOf(release_ == api::Release::kAny ? api::Release::kNewest : release_));
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const KindInfo*>> versions;
  for (const KindInfo* kind : scheme_.kinds()) {
    if (kind->served) versions[{kind->group, kind->version}].push_back(kind);
  }
  Documents made;
  for (const auto& [version, kinds] : versions) {
    Schemas schemas(version.first, version.second, release_);
    Paths paths(schemas, CamelVersion(version.first, version.second));
    for (const KindInfo* kind : kinds) {
      schemas.AddKind(*kind);
      paths.AddKind(*kind);
    }
    const std::string key = version.first.empty()
                                ? fmt::format("api/{}", version.second)
                                : fmt::format("apis/{}/{}", version.first, version.second);
    made.v3.emplace(
        key,
        Finished(fmt::format(
            R"({{"openapi":"3.0.0","info":{{"title":"Kubernetes","version":"{}"}},"paths":{{{}}},"components":{{"schemas":{{{}}}}}}})",
            release,
            paths.json(),
            schemas.json())));
  }
  made.index = "{\"paths\":{";
  for (const auto& [path, document] : made.v3) {
    if (made.index.back() == '}') made.index += ',';
    const std::string_view hash =
        std::string_view(document.etag).substr(1, document.etag.size() - 2);
    made.index +=
        fmt::format(R"("{0}":{{"serverRelativeURL":"/openapi/v3/{0}?hash={1}"}})", path, hash);
  }
  made.index += "}}";
  made.v2 = Finished(fmt::format(
      R"({{"swagger":"2.0","info":{{"title":"Kubernetes","version":"v{}.0"}},"paths":{{}},"definitions":{{}}}})",
      release));
  return made;
}

const OpenApi::Document* OpenApi::Find(std::string_view path) const {
  const auto& v3 = All().v3;
  const auto found = v3.find(path);
  return found == v3.end() ? nullptr : &found->second;
}

}  // namespace dray::server::documents
