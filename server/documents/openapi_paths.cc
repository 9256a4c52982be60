// SPDX-License-Identifier: Apache-2.0
#include "server/documents/openapi_paths.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/meta_v1/options.h"
#include "api/meta_v1/status.h"

namespace dray::server::documents {
namespace {

using api::JsonWriter;
using api::KindInfo;

std::string Capitalised(std::string_view word) {
  std::string out(word);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

}  // namespace

std::string CamelGroup(std::string_view group) {
  constexpr std::string_view kSuffix = ".k8s.io";
  if (group.ends_with(kSuffix)) group.remove_suffix(kSuffix.size());
  std::string camel = group.empty() ? "Core" : "";
  while (!group.empty()) {
    const size_t dot = std::min(group.find('.'), group.size());
    camel += Capitalised(group.substr(0, dot));
    group.remove_prefix(std::min(dot + 1, group.size()));
  }
  return camel;
}

std::string TagOf(std::string_view group) {
  std::string tag = CamelGroup(group);
  if (tag.front() >= 'A' && tag.front() <= 'Z') tag.front() += 'a' - 'A';
  return tag;
}

namespace {

struct Parameter {
  std::string_view name, type;
};
using Parameters = std::span<const Parameter>;
using MediaTypes = std::span<const std::string_view>;

constexpr MediaTypes kNoBody = {};
constexpr std::string_view kAnyTypes[] = {"*/*"};
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
    {"dryRun", "string"},
    {"gracePeriodSeconds", "integer"},
    {"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"},
    {"orphanDependents", "boolean"},
    {"propagationPolicy", "string"}};
constexpr Parameter kListParameters[] = {{"allowWatchBookmarks", "boolean"},
                                         {"continue", "string"},
                                         {"fieldSelector", "string"},
                                         {"labelSelector", "string"},
                                         {"limit", "integer"},
                                         {"resourceVersion", "string"},
                                         {"resourceVersionMatch", "string"},
                                         {"sendInitialEvents", "boolean"},
                                         {"timeoutSeconds", "integer"},
                                         {"watch", "boolean"}};
constexpr Parameter kDeleteCollectionParameters[] = {
    {"continue", "string"},
    {"dryRun", "string"},
    {"fieldSelector", "string"},
    {"gracePeriodSeconds", "integer"},
    {"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"},
    {"labelSelector", "string"},
    {"limit", "integer"},
    {"orphanDependents", "boolean"},
    {"propagationPolicy", "string"},
    {"resourceVersion", "string"},
    {"resourceVersionMatch", "string"},
    {"sendInitialEvents", "boolean"},
    {"timeoutSeconds", "integer"}};

enum class Sent : uint8_t { kNothing, kObject, kPatch, kDeleteOptions };

// One operation on a path.
struct Operation {
  std::string_view method, action, id_verb, id_infix;
  Parameters parameters = {};
  Sent sent = Sent::kNothing;
  MediaTypes request = kNoBody;
  std::string_view more;  // a code besides 200 for which the object is answered
};

constexpr Operation kList = {
    .method = "get", .action = "list", .id_verb = "list", .parameters = kListParameters};
constexpr Operation kCreate = {.method = "post",
                               .action = "post",
                               .id_verb = "create",
                               .parameters = kWriteParameters,
                               .sent = Sent::kObject,
                               .request = kObjectTypes,
                               .more = "201"};
constexpr Operation kDeleteCollection = {.method = "delete",
                                         .action = "deletecollection",
                                         .id_verb = "delete",
                                         .id_infix = "Collection",
                                         .parameters = kDeleteCollectionParameters,
                                         .sent = Sent::kDeleteOptions,
                                         .request = kAnyTypes};
constexpr Operation kOfCollections[] = {kList, kCreate, kDeleteCollection};
constexpr Operation kOfItems[] = {{.method = "get", .action = "get", .id_verb = "read"},
                                  {.method = "put",
                                   .action = "put",
                                   .id_verb = "replace",
                                   .parameters = kWriteParameters,
                                   .sent = Sent::kObject,
                                   .request = kObjectTypes,
                                   .more = "201"},
                                  {.method = "patch",
                                   .action = "patch",
                                   .id_verb = "patch",
                                   .parameters = kPatchParameters,
                                   .sent = Sent::kPatch,
                                   .request = kPatchTypes,
                                   .more = "201"},
                                  {.method = "delete",
                                   .action = "delete",
                                   .id_verb = "delete",
                                   .parameters = kDeleteParameters,
                                   .sent = Sent::kDeleteOptions,
                                   .request = kAnyTypes,
                                   .more = "202"}};

// A path, and what its operations have in common.
struct Place {
  std::string path;
  bool in_namespace;  // has a parameter {namespace}
  bool is_item;       // has a parameter {name}
  std::string_view suffix;
};

class Writer {
 public:
  Writer(const KindInfo& kind, OpenApiForm form, Schemas& schemas, JsonWriter& json)
      : kind_(kind),
        is_v2_(form == OpenApiForm::kV2),
        camel_version_(CamelGroup(kind.group) + Capitalised(kind.version)),
        schemas_(schemas),
        json_(json) {}

  void Write(api::Release release) {
    const std::string base = kind_.group.empty()
                                 ? fmt::format("/api/{}", kind_.version)
                                 : fmt::format("/apis/{}/{}", kind_.group, kind_.version);
    const bool in_namespace = kind_.namespaced;
    const std::string collection =
        fmt::format("{}{}/{}", base, in_namespace ? "/namespaces/{namespace}" : "", kind_.plural);
    const std::span<const Operation> all = kOfCollections;
    const Place whole = {
        .path = collection, .in_namespace = in_namespace, .is_item = false, .suffix = ""};
    if (kind_.create_only) return Path(whole, all.subspan(1, 1));
    const bool is_namespace = kind_.group.empty() && kind_.plural == "namespaces";
    Path(whole, is_namespace ? all.first(2) : all);  // namespaces go one by one
    if (in_namespace) {
      Path({.path = fmt::format("{}/{}", base, kind_.plural),
            .in_namespace = false,
            .is_item = false,
            .suffix = "ForAllNamespaces"},
           all.first(1));
    }
    Place item = {.path = collection + "/{name}",
                  .in_namespace = in_namespace,
                  .is_item = true,
                  .suffix = ""};
    Path(item, kOfItems);
    if (!kind_.has_status || !kind_.status_in.Has(release)) return;
    item.path += "/status";
    item.suffix = "Status";
    Path(item, std::span(kOfItems).first(3));  // no delete
  }

 private:
  void Path(const Place& place, std::span<const Operation> operations) {
    json_.Member(place.path).Object([&] {
      for (const Operation& operation : operations) {
        json_.Member(operation.method).Object([&] { Members(place, operation); });
      }
      json_.Member("parameters").Array([&] {
        if (place.is_item) PathParameter("name");
        if (place.in_namespace) PathParameter("namespace");
        QueryParameter({.name = "pretty", .type = "string"});
      });
    });
  }

  void Members(const Place& place, const Operation& operation) {
    json_.Member("tags").Array(
        [&] { json_.Value(fmt::format("{}_{}", TagOf(kind_.group), kind_.version)); });
    json_.Member("operationId",
                 fmt::format("{}{}{}{}{}{}",
                             operation.id_verb,
                             camel_version_,
                             operation.id_infix,
                             place.in_namespace ? "Namespaced" : "",
                             kind_.kind,
                             place.suffix));
    json_.Member("x-kubernetes-action", operation.action);
    json_.Member(kKindExtension);
    WriteKindName(kind_, kind_.kind, json_);
    if (is_v2_) {
      json_.Member("schemes").Array([&] { json_.Value("https"); });
      json_.Member("consumes")
          .ArrayOf(operation.sent == Sent::kPatch ? operation.request : MediaTypes(kAnyTypes));
      json_.Member("produces").ArrayOf(kObjectTypes);
    }
    json_.Member("parameters").Array([&] {
      if (is_v2_ && operation.sent != Sent::kNothing) BodyParameter(operation.sent);
      for (const Parameter& parameter : operation.parameters) QueryParameter(parameter);
    });
    if (!is_v2_ && operation.sent != Sent::kNothing) {
      json_.Member("requestBody").Object([&] {
        if (operation.sent != Sent::kDeleteOptions) json_.Member("required", true);
        Content(operation.request, NameOf(operation.sent));
      });
    }
    Responses(operation);
  }

  void Responses(const Operation& operation) {
    std::string object = schemas_.NameOf(kind_.type());
    if (operation.action == kList.action) object += "List";
    if (operation.action == kDeleteCollection.action) object = NameOfStatus();
    const auto answer = [&](std::string_view code, std::string_view words) {
      json_.Member(code).Object([&] {
        json_.Member("description", words);
        if (!is_v2_) return Content(kObjectTypes, object);
        json_.Member("schema");
        schemas_.WriteReference(object);
      });
    };
    json_.Member("responses").Object([&] {
      answer("200", "OK");
      if (operation.more == "201") answer("201", "Created");
      if (operation.more == "202") answer("202", "Accepted");
      json_.Member("401").Object({{"description", "Unauthorized"}});
    });
  }

  // Of the schema of a body; empty: any object.
  std::string NameOf(Sent sent) {
    if (sent == Sent::kObject) return schemas_.NameOf(kind_.type());
    if (sent == Sent::kPatch) return "";
    return schemas_.Refer(api::TypeOf<api::meta_v1::DeleteOptions>());
  }
  std::string NameOfStatus() { return schemas_.Refer(api::TypeOf<api::meta_v1::Status>()); }

  // What has one of these types: an object of the schema `name`; any object if that is empty.
  void Content(MediaTypes types, std::string_view name) {
    json_.Member("content").Object([&] {
      for (const std::string_view type : types) {
        json_.Member(type).Object([&] {
          json_.Member("schema");
          Reference(name);
        });
      }
    });
  }

  void Reference(std::string_view name) {
    if (name.empty()) return json_.Object({{"type", "object"}});
    schemas_.WriteReference(name);
  }

  void BodyParameter(Sent sent) {
    json_.Object([&] {
      json_.Member("name", "body");
      json_.Member("in", "body");
      if (sent != Sent::kDeleteOptions) json_.Member("required", true);
      json_.Member("schema");
      Reference(NameOf(sent));
    });
  }

  void QueryParameter(const Parameter& parameter) {
    json_.Object([&] {
      json_.Member("name", parameter.name);
      json_.Member("in", "query");
      TypeOfParameter(parameter.type);
    });
  }

  void PathParameter(std::string_view name) {
    json_.Object([&] {
      json_.Member("name", name);
      json_.Member("in", "path");
      json_.Member("required", true);
      TypeOfParameter("string");
    });
  }

  void TypeOfParameter(std::string_view type) {
    if (!is_v2_) return json_.Member("schema").Object({{"type", type}, {"uniqueItems", true}});
    json_.Member("type", type);
    json_.Member("uniqueItems", true);
  }

  const KindInfo& kind_;
  const bool is_v2_;
  const std::string camel_version_;
  Schemas& schemas_;
  JsonWriter& json_;
};

}  // namespace

void WritePaths(const KindInfo& kind,
                OpenApiForm form,
                api::Release release,
                Schemas& schemas,
                JsonWriter& json) {
  Writer(kind, form, schemas, json).Write(release);
}

}  // namespace dray::server::documents
