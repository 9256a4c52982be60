// SPDX-License-Identifier: Apache-2.0
// Discovery writes its answers member by member, so there are no tables to take these schemas from.
#include "server/documents/openapi_roots.h"

#include <cstddef>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
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

std::string NameOf(const RootSchema& schema) {
  return fmt::format("{}{}", schema.package, schema.name);
}

void WriteReference(const RootSchema& schema, JsonWriter& json) {
  json.Object({{"$ref", fmt::format("#/components/schemas/{}", NameOf(schema))}});
}

void WriteType(const Property& property, JsonWriter& json) {
  const auto element = [&] {
    if (property.type != nullptr) return WriteReference(*property.type, json);
    json.Object({{"type", "string"}});
  };
  if (property.is_list) {
    json.Member("type", "array");
    json.Member("items");
    element();
    return json.Member("x-kubernetes-list-type", "atomic");
  }
  if (property.type == nullptr) return json.Member("type", "string");
  json.Member("allOf").Array(element);
}

void WriteSchema(const RootSchema& schema, JsonWriter& json) {
  json.Member(NameOf(schema)).Object([&] {
    json.Member("description", schema.doc);
    json.Member("type", "object");
    json.Member("required").Array([&] {
      for (const Property& property : schema.properties) {
        if (property.required) json.Value(property.name);
      }
    });
    json.Member("properties").Object([&] {
      if (schema.is_kind) WriteKindMembers(json);
      for (const Property& property : schema.properties) {
        json.Member(property.name).Object([&] {
          json.Member("description", property.doc);
          WriteType(property, json);
        });
      }
    });
    if (!schema.is_kind) return;
    json.Member(kKindExtension).Array([&] {
      json.Object({{"group", ""}, {"version", "v1"}, {"kind", schema.name}});
    });
  });
}

constexpr const RootSchema* kOfVersion[] = {&kInfo};
constexpr const RootSchema* kOfCore[] = {&kVersions, &kAddress};
constexpr const RootSchema* kOfGroups[] = {&kGroupList, &kGroup, &kVersionOfGroup, &kAddress};
constexpr const RootSchema* kOfGroup[] = {&kGroup, &kVersionOfGroup, &kAddress};

// What a root answers, and with what it consists of.
struct About {
  std::string path, tag, operation;
  std::string_view words;
  std::span<const RootSchema* const> schemas;  // the answer first
};

About AboutRoot(OpenApiRoot root, std::string_view group) {
  constexpr std::string_view kVersionsWords = "get available API versions";
  switch (root) {
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
    case OpenApiRoot::kGroup: break;
  }
  return {fmt::format("/apis/{}/", group),
          TagOf(group),
          fmt::format("get{}APIGroup", CamelGroup(group)),
          "get information of a group",
          kOfGroup};
}

void WriteAnswer(const About& about, JsonWriter& json) {
  json.Member("responses").Object([&] {
    json.Member("200").Object([&] {
      json.Member("description", "OK");
      json.Member("content").Object([&] {
        // Only JSON of what is no kind.
        const size_t types = about.schemas.front()->is_kind ? kObjectTypes.size() : 1;
        for (const std::string_view type : std::span(kObjectTypes).first(types)) {
          json.Member(type).Object([&] {
            json.Member("schema");
            WriteReference(*about.schemas.front(), json);
          });
        }
      });
    });
    json.Member("401").Object({{"description", "Unauthorized"}});
  });
}

}  // namespace

std::string RootDocument(OpenApiRoot root, std::string_view group, std::string_view release) {
  const About about = AboutRoot(root, group);
  return api::JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("openapi", "3.0.0");
      json.Member("info").Object({{"title", "Kubernetes"}, {"version", release}});
      json.Member("paths").Object([&] {
        json.Member(about.path).Object([&] {
          json.Member("get").Object([&] {
            json.Member("tags").Array([&] { json.Value(about.tag); });
            json.Member("description", about.words);
            json.Member("operationId", about.operation);
            WriteAnswer(about, json);
          });
        });
      });
      json.Member("components").Object([&] {
        json.Member("schemas").Object([&] {
          for (const RootSchema* schema : about.schemas) WriteSchema(*schema, json);
        });
        WriteSecuritySchemes(json);
      });
    });
  });
}

}  // namespace dray::server::documents
