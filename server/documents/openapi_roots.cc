// SPDX-License-Identifier: Apache-2.0
// Discovery writes its answers member by member, so there are no tables to take these schemas from.
#include "server/documents/openapi_roots.h"

#include <cstddef>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "server/documents/openapi_operations.h"
#include "server/documents/openapi_paths.h"
#include "server/documents/openapi_schemas.h"

namespace dray::server::documents {
namespace {

using api::JsonWriter;

struct RootSchema;

struct Property {
  std::string_view name;
  std::string_view doc;
  const RootSchema* type = nullptr;  // none: text
  bool is_list = false;
  bool required = true;
  bool is_flag = false;
};

struct RootSchema {
  std::string_view package, name, doc;
  std::span<const Property> properties;
  bool is_kind = true;
};

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

constexpr Property kVersionOfGroupProperties[] = {
    {.name = "groupVersion", .doc = "Group and version, such as apps/v1."},
    {.name = "version", .doc = "The version alone, such as v1."}};
constexpr RootSchema kVersionOfGroup = {.package = kMeta,
                                        .name = "GroupVersionForDiscovery",
                                        .doc = "A version of a group.",
                                        .properties = kVersionOfGroupProperties,
                                        .is_kind = false};

constexpr Property kAddressProperties[] = {
    {.name = "clientCIDR", .doc = "The network of the clients that this is for."},
    {.name = "serverAddress", .doc = "The address, a host or IP with or without a port."}};
constexpr RootSchema kAddress = {.package = kMeta,
                                 .name = "ServerAddressByClientCIDR",
                                 .doc = "Under which address clients of a network find the server.",
                                 .properties = kAddressProperties,
                                 .is_kind = false};
constexpr Property kAddresses = {.name = "serverAddressByClientCIDRs",
                                 .doc = "Where clients find the server.",
                                 .type = &kAddress,
                                 .is_list = true};

constexpr Property kGroupProperties[] = {
    {.name = "name", .doc = "Name of the group."},
    {.name = "preferredVersion",
     .doc = "The version that the server would have clients use.",
     .type = &kVersionOfGroup,
     .required = false},
    {.name = "serverAddressByClientCIDRs",
     .doc = "Where clients find the server.",
     .type = &kAddress,
     .is_list = true,
     .required = false},
    {.name = "versions",
     .doc = "The versions that are served.",
     .type = &kVersionOfGroup,
     .is_list = true}};
constexpr RootSchema kGroup = {.package = kMeta,
                               .name = "APIGroup",
                               .doc = "A group of kinds, and its versions.",
                               .properties = kGroupProperties};

constexpr Property kGroupListProperties[] = {
    {.name = "groups", .doc = "The groups.", .type = &kGroup, .is_list = true}};
constexpr RootSchema kGroupList = {.package = kMeta,
                                   .name = "APIGroupList",
                                   .doc = "The groups that are served under /apis.",
                                   .properties = kGroupListProperties};

constexpr Property kVersionsProperties[] = {
    kAddresses, {.name = "versions", .doc = "The versions.", .is_list = true}};
constexpr RootSchema kVersions = {.package = kMeta,
                                  .name = "APIVersions",
                                  .doc = "The versions of the core group, under /api.",
                                  .properties = kVersionsProperties};

constexpr Property kInfoProperties[] = {
    {.name = "buildDate", .doc = "When the server was built."},
    {.name = "compiler", .doc = "What compiled it."},
    {.name = "emulationMajor", .doc = "Major number of the release it plays.", .required = false},
    {.name = "emulationMinor", .doc = "Minor number of the release it plays.", .required = false},
    {.name = "gitCommit", .doc = "The commit it was built from."},
    {.name = "gitTreeState", .doc = "Whether there was more than the commit."},
    {.name = "gitVersion", .doc = "Version with all its numbers, such as v1.37.0."},
    {.name = "goVersion", .doc = "Version of Go, of servers in that language."},
    {.name = "major", .doc = "Major number of its version."},
    {.name = "minCompatibilityMajor",
     .doc = "Major number of the oldest release it goes together with.",
     .required = false},
    {.name = "minCompatibilityMinor",
     .doc = "Minor number of the oldest release it goes together with.",
     .required = false},
    {.name = "minor", .doc = "Minor number of its version."},
    {.name = "platform", .doc = "Operating system and processor."}};
constexpr RootSchema kInfo = {.package = "io.k8s.apimachinery.pkg.version.",
                              .name = "Info",
                              .doc = "Which server this is.",
                              .properties = kInfoProperties,
                              .is_kind = false};

constexpr Property kResourceProperties[] = {
    {.name = "categories",
     .doc = "Groups of resources that it is listed with, such as all.",
     .is_list = true,
     .required = false},
    {.name = "group", .doc = "Group of its kind, if another.", .required = false},
    {.name = "kind", .doc = "Kind of its objects."},
    {.name = "name", .doc = "Name in paths, plural."},
    {.name = "namespaced", .doc = "Whether its objects have a namespace.", .is_flag = true},
    {.name = "shortNames", .doc = "Shorter names.", .is_list = true, .required = false},
    {.name = "singularName", .doc = "Name of one."},
    {.name = "storageVersionHash",
     .doc = "Changes with the version that is stored.",
     .required = false},
    {.name = "verbs", .doc = "What may be done with it.", .is_list = true},
    {.name = "version", .doc = "Version of its kind, if another.", .required = false}};
constexpr RootSchema kResource = {.package = kMeta,
                                  .name = "APIResource",
                                  .doc = "A resource or subresource.",
                                  .properties = kResourceProperties,
                                  .is_kind = false};

constexpr Property kResourceListProperties[] = {
    {.name = "groupVersion", .doc = "Group and version, such as apps/v1."},
    {.name = "resources", .doc = "The resources.", .type = &kResource, .is_list = true}};
constexpr RootSchema kResourceList = {.package = kMeta,
                                      .name = "APIResourceList",
                                      .doc = "The resources of a version of a group.",
                                      .properties = kResourceListProperties};

std::string NameOf(const RootSchema& schema) {
  return fmt::format("{}{}", schema.package, schema.name);
}

class SchemaWriter {
 public:
  SchemaWriter(OpenApiForm form, JsonWriter& json)
      : is_v2_(form == OpenApiForm::kV2), json_(json) {}

  void Write(const RootSchema& schema) {
    json_.Member(NameOf(schema)).Object([&] {
      json_.Member("description", schema.doc);
      json_.Member("type", "object");
      json_.Member("required").Array([&] {
        for (const Property& property : schema.properties) {
          if (property.required) json_.Value(property.name);
        }
      });
      json_.Member("properties").Object([&] {
        if (schema.is_kind) WriteKindMembers(json_);
        for (const Property& property : schema.properties) {
          json_.Member(property.name).Object([&] {
            json_.Member("description", property.doc);
            Type(property);
          });
        }
      });
      if (!schema.is_kind) return;
      json_.Member(kKindExtension).Array([&] {
        json_.Object({{"group", ""}, {"version", "v1"}, {"kind", schema.name}});
      });
    });
  }

  void Reference(const RootSchema& schema) {
    json_.Object(
        {{"$ref",
          fmt::format("#/{}/{}", is_v2_ ? "definitions" : "components/schemas", NameOf(schema))}});
  }

 private:
  void Type(const Property& property) {
    if (property.is_list) return List(property);
    if (property.type == nullptr) {
      json_.Member("type", property.is_flag ? "boolean" : "string");
      if (is_v2_ || !property.required) return;
      return json_.Member("default").Raw(property.is_flag ? "false" : R"("")");
    }
    if (is_v2_) {
      return json_.Member("$ref", fmt::format("#/definitions/{}", NameOf(*property.type)));
    }
    json_.Member("allOf").Array([&] { Reference(*property.type); });
    json_.Member("default").Raw("{}");
  }

  void List(const Property& property) {
    json_.Member("type", "array");
    json_.Member("items");
    if (property.type == nullptr) {
      json_.Object({{"type", "string"}});
    } else {
      Reference(*property.type);
    }
    if (property.name != "verbs") json_.Member("x-kubernetes-list-type", "atomic");
  }

  const bool is_v2_;
  JsonWriter& json_;
};

constexpr const RootSchema* kOfVersion[] = {&kInfo};
constexpr const RootSchema* kOfCore[] = {&kVersions, &kAddress};
constexpr const RootSchema* kOfGroups[] = {&kGroupList, &kGroup, &kVersionOfGroup, &kAddress};
constexpr const RootSchema* kOfGroup[] = {&kGroup, &kVersionOfGroup, &kAddress};
constexpr const RootSchema* kOfGroupVersion[] = {&kResourceList, &kResource};

// The answer of a root, and its schemas.
struct About {
  std::string path, tag, operation;
  std::string_view words;
  std::span<const RootSchema* const> schemas;  // the answer first
};

About AboutVersion(std::string_view group, std::string_view version) {
  std::string camel(version);
  camel.front() = 'V';
  return {group.empty() ? fmt::format("/api/{}/", version)
                        : fmt::format("/apis/{}/{}/", group, version),
          fmt::format("{}_{}", TagOf(group), version),
          fmt::format("get{}{}APIResources", CamelGroup(group), camel),
          "get available resources",
          kOfGroupVersion};
}

About AboutRoot(const OpenApiPlace& place) {
  constexpr std::string_view kVersionsWords = "get available API versions";
  switch (place.root) {
    case OpenApiRoot::kVersion:
      return {"/version/",
              "version",
              "getCodeVersion",
              "get the version information for this server",
              kOfVersion};
    case OpenApiRoot::kCore:
      return {"/api/", "core", "getCoreAPIVersions", kVersionsWords, kOfCore};
    case OpenApiRoot::kGroups:
      return {"/apis/", "apis", "getAPIVersions", kVersionsWords, kOfGroups};
    case OpenApiRoot::kGroupVersion: return AboutVersion(place.group, place.version);
    case OpenApiRoot::kGroup: break;
  }
  return {fmt::format("/apis/{}/", place.group),
          TagOf(place.group),
          fmt::format("get{}APIGroup", CamelGroup(place.group)),
          "get information of a group",
          kOfGroup};
}

void WriteAnswer(const About& about,
                 std::span<const std::string_view> types,
                 OpenApiForm form,
                 JsonWriter& json) {
  SchemaWriter schemas(form, json);
  json.Member("responses").Object([&] {
    json.Member("200").Object([&] {
      json.Member("description", "OK");
      if (form == OpenApiForm::kV2) {
        json.Member("schema");
        return schemas.Reference(*about.schemas.front());
      }
      json.Member("content").Object([&] {
        for (const std::string_view type : types) {
          json.Member(type).Object([&] {
            json.Member("schema");
            schemas.Reference(*about.schemas.front());
          });
        }
      });
    });
    json.Member("401").Object({{"description", "Unauthorized"}});
  });
}

}  // namespace

void WriteRootPath(const OpenApiPlace& place, OpenApiForm form, JsonWriter& json) {
  const About about = AboutRoot(place);
  // Answers that are no kinds exist only as JSON.
  const auto types =
      std::span(kObjectTypes).first(about.schemas.front()->is_kind ? kObjectTypes.size() : 1);
  json.Member(about.path).Object([&] {
    json.Member("get").Object([&] {
      json.Member("tags").Array([&] { json.Value(about.tag); });
      json.Member("description", about.words);
      json.Member("operationId", about.operation);
      if (form == OpenApiForm::kV2) {
        json.Member("schemes").Array([&] { json.Value("https"); });
        json.Member("consumes").ArrayOf(types);
        json.Member("produces").ArrayOf(types);
      }
      WriteAnswer(about, types, form, json);
    });
  });
}

void WriteRootSchemas(const OpenApiPlace& place,
                      OpenApiForm form,
                      std::set<std::string, std::less<>>& written,
                      JsonWriter& json) {
  SchemaWriter writer(form, json);
  for (const RootSchema* schema : AboutRoot(place).schemas) {
    if (written.insert(NameOf(*schema)).second) writer.Write(*schema);
  }
}

std::string RootDocument(const OpenApiPlace& place, std::string_view release) {
  std::set<std::string, std::less<>> written;
  return api::JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("openapi", "3.0.0");
      json.Member("info").Object({{"title", "Kubernetes"}, {"version", release}});
      json.Member("paths").Object([&] { WriteRootPath(place, OpenApiForm::kV3, json); });
      json.Member("components").Object([&] {
        json.Member("schemas").Object(
            [&] { WriteRootSchemas(place, OpenApiForm::kV3, written, json); });
        WriteSecuritySchemes(json);
      });
    });
  });
}

}  // namespace dray::server::documents
