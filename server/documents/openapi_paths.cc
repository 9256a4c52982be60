// SPDX-License-Identifier: Apache-2.0
#include "server/documents/openapi_paths.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/meta_v1/options.h"
#include "api/meta_v1/status.h"
#include "server/documents/openapi_custom.h"
#include "server/documents/subresources.h"
#include "server/registry/strategy.h"

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
constexpr std::string_view kStreamTypes[] = {"application/json",
                                             "application/yaml",
                                             "application/vnd.kubernetes.protobuf",
                                             "application/json;stream=watch",
                                             "application/vnd.kubernetes.protobuf;stream=watch"};
constexpr std::string_view kLogTypes[] = {
    "text/plain", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"};

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
constexpr Parameter kStreamParameters[] = {{"container", "string"},
                                           {"stderr", "boolean"},
                                           {"stdin", "boolean"},
                                           {"stdout", "boolean"},
                                           {"tty", "boolean"}};
constexpr Parameter kExecParameters[] = {{"command", "string"},
                                         {"container", "string"},
                                         {"stderr", "boolean"},
                                         {"stdin", "boolean"},
                                         {"stdout", "boolean"},
                                         {"tty", "boolean"}};
constexpr Parameter kForwardParameters[] = {{"ports", "integer"}};
constexpr Parameter kProxyParameters[] = {{"path", "string"}};
constexpr Parameter kLogParameters[] = {{"container", "string"},
                                        {"follow", "boolean"},
                                        {"insecureSkipTLSVerifyBackend", "boolean"},
                                        {"limitBytes", "integer"},
                                        {"previous", "boolean"},
                                        {"sinceSeconds", "integer"},
                                        {"stream", "string"},
                                        {"tailLines", "integer"},
                                        {"timestamps", "boolean"}};

enum class Sent : uint8_t { kNothing, kObject, kPatch, kDeleteOptions };
enum class Answered : uint8_t { kObject, kList, kStatus, kEvents, kText };

constexpr std::string_view kOk[] = {"200"};
constexpr std::string_view kOkOrCreated[] = {"200", "201"};
constexpr std::string_view kCreatedOrAccepted[] = {"200", "201", "202"};
constexpr std::string_view kOkOrAccepted[] = {"200", "202"};

// One operation on a path.
struct Operation {
  std::string_view method, action, id_verb, id_infix;
  Parameters parameters = {};
  MediaTypes request = kNoBody;
  std::span<const std::string_view> codes = kOk;
  MediaTypes types = kObjectTypes;
  Sent sent = Sent::kNothing;
  Answered answered = Answered::kObject;
};

constexpr Operation kList = {.method = "get",
                             .action = "list",
                             .id_verb = "list",
                             .parameters = kListParameters,
                             .types = kStreamTypes,
                             .answered = Answered::kList};
constexpr Operation kCreate = {.method = "post",
                               .action = "post",
                               .id_verb = "create",
                               .parameters = kWriteParameters,
                               .request = kAnyTypes,
                               .codes = kCreatedOrAccepted,
                               .sent = Sent::kObject};
constexpr Operation kDeleteCollection = {.method = "delete",
                                         .action = "deletecollection",
                                         .id_verb = "delete",
                                         .id_infix = "Collection",
                                         .parameters = kDeleteCollectionParameters,
                                         .request = kAnyTypes,
                                         .sent = Sent::kDeleteOptions,
                                         .answered = Answered::kStatus};
constexpr Operation kRead = {.method = "get", .action = "get", .id_verb = "read"};
constexpr Operation kReplace = {.method = "put",
                                .action = "put",
                                .id_verb = "replace",
                                .parameters = kWriteParameters,
                                .request = kAnyTypes,
                                .codes = kOkOrCreated,
                                .sent = Sent::kObject};
constexpr Operation kPatchObject = {.method = "patch",
                                    .action = "patch",
                                    .id_verb = "patch",
                                    .parameters = kPatchParameters,
                                    .request = kPatchTypes,
                                    .codes = kOkOrCreated,
                                    .sent = Sent::kPatch};
constexpr Operation kDelete = {.method = "delete",
                               .action = "delete",
                               .id_verb = "delete",
                               .parameters = kDeleteParameters,
                               .request = kAnyTypes,
                               .codes = kOkOrAccepted,
                               .sent = Sent::kDeleteOptions};
constexpr Operation kReadLog = {.method = "get",
                                .action = "get",
                                .id_verb = "read",
                                .parameters = kLogParameters,
                                .types = kLogTypes,
                                .answered = Answered::kText};
constexpr Operation kWatchOne = {.method = "get",
                                 .action = "watch",
                                 .id_verb = "watch",
                                 .parameters = kListParameters,
                                 .types = kStreamTypes,
                                 .answered = Answered::kEvents};
constexpr Operation kWatchMany = {.method = "get",
                                  .action = "watchlist",
                                  .id_verb = "watch",
                                  .parameters = kListParameters,
                                  .types = kStreamTypes,
                                  .answered = Answered::kEvents};
constexpr Operation kOfCollections[] = {kList, kCreate, kDeleteCollection};
constexpr Operation kOfItems[] = {kRead, kReplace, kPatchObject, kDelete};

// How a connection through the server is opened: with any of these methods.
struct Connection {
  std::string_view options;  // the kind of its parameters
  Parameters parameters;
  bool any_method = false;
};
constexpr Connection kConnections[] = {
    {.options = "PodAttachOptions", .parameters = kStreamParameters},
    {.options = "PodExecOptions", .parameters = kExecParameters},
    {.options = "PodPortForwardOptions", .parameters = kForwardParameters},
    {.options = "PodProxyOptions", .parameters = kProxyParameters, .any_method = true},
    {.options = "ServiceProxyOptions", .parameters = kProxyParameters, .any_method = true},
    {.options = "NodeProxyOptions", .parameters = kProxyParameters, .any_method = true}};

struct Method {
  std::string_view name, infix;
};
constexpr Method kMethods[] = {{"get", "Get"},
                               {"post", "Post"},
                               {"put", "Put"},
                               {"delete", "Delete"},
                               {"options", "Options"},
                               {"head", "Head"},
                               {"patch", "Patch"}};
constexpr size_t kStreamMethods = 2;  // get and post

// The subject of the operations on a path.
struct Subject {
  std::string_view group, version, kind;
  const KindInfo* info;  // null: not a kind, but options
};

// A path, and the common parts of its operations.
struct PathPlace {
  std::string path;
  bool in_namespace;  // has a parameter {namespace}
  bool is_item;       // has a parameter {name}
  std::string suffix;
  Subject subject;
};

class Writer {
 public:
  Writer(const KindInfo& kind, OpenApiForm form, Schemas& schemas, JsonWriter& json)
      : kind_(kind),
        is_v2_(form == OpenApiForm::kV2),
        camel_version_(CamelGroup(kind.group) + Capitalised(kind.version)),
        base_(kind.group.empty() ? fmt::format("/api/{}", kind.version)
                                 : fmt::format("/apis/{}/{}", kind.group, kind.version)),
        collection_(
            fmt::format("{}{}", kind.namespaced ? "/namespaces/{namespace}/" : "/", kind.plural)),
        schemas_(schemas),
        json_(json) {}

  void Write(api::Release release) {
    const std::span<const Operation> all = kOfCollections;
    const PathPlace whole = At(base_ + collection_);
    if (kind_.create_only) return Path(whole, all.subspan(1, 1));
    if (!registry::StrategyOf(kind_).is_stored) {
      Path(whole, all.first(1));
      return Path(Item(), std::span(kOfItems).first(1));
    }
    const bool is_namespace = kind_.group.empty() && kind_.plural == "namespaces";
    Path(whole, is_namespace ? all.first(2) : all);  // namespaces go one by one
    if (kind_.namespaced) Path(Everywhere(base_, "ForAllNamespaces"), all.first(1));
    Path(Item(), kOfItems);
    for (const Subresource& part : SubresourcesOf(kind_, release)) Part(part);
    Watches();
  }

 private:
  PathPlace At(std::string path) const {
    return {.path = std::move(path),
            .in_namespace = kind_.namespaced,
            .is_item = false,
            .suffix = "",
            .subject = {kind_.group, kind_.version, kind_.kind, &kind_}};
  }
  PathPlace Item() const {
    PathPlace item = At(base_ + collection_ + "/{name}");
    item.is_item = true;
    return item;
  }
  PathPlace Everywhere(const std::string& base, std::string suffix) const {
    PathPlace place = At(fmt::format("{}/{}", base, kind_.plural));
    place.in_namespace = false;
    place.suffix = std::move(suffix);
    return place;
  }

  /// Paths that only older tools use.
  void Watches() {
    const std::span<const Operation> many(&kWatchMany, 1);
    const std::string base = base_ + "/watch";
    PathPlace list = At(base + collection_);
    list.suffix = "List";
    Path(list, many);
    if (kind_.namespaced) Path(Everywhere(base, "ListForAllNamespaces"), many);
    PathPlace one = At(base + collection_ + "/{name}");
    one.is_item = true;
    Path(one, std::span(&kWatchOne, 1));
  }

  void Part(const Subresource& part) {
    PathPlace place = Item();
    place.path += fmt::format("/{}", part.name);
    place.suffix = Capitalised(part.name);
    const std::string_view group = part.group.empty() ? kind_.group : part.group;
    const std::string_view version = part.version.empty() ? kind_.version : part.version;
    const bool is_own = group == kind_.group && version == kind_.version && part.kind == kind_.kind;
    place.subject = {
        group, version, part.kind, is_own ? &kind_ : FindKind(group, version, part.kind)};
    const auto* const connection = std::ranges::find(kConnections, part.kind, &Connection::options);
    if (connection != std::end(kConnections)) return Connect(place, *connection);
    if (part.name == "log") return Path(place, std::span(&kReadLog, 1));
    std::vector<Operation> operations;
    for (const std::string_view verb : part.verbs) {
      operations.push_back(verb == "get"      ? kRead
                           : verb == "create" ? kCreate
                           : verb == "update" ? kReplace
                                              : kPatchObject);
    }
    Path(place, operations);
  }

  static const KindInfo* FindKind(std::string_view group,
                                  std::string_view version,
                                  std::string_view name) {
    const auto kinds = api::BuiltinKinds();
    const auto found = std::ranges::find_if(kinds, [&](const KindInfo* kind) {
      return kind->group == group && kind->version == version && kind->kind == name;
    });
    return found == kinds.end() ? nullptr : *found;
  }

  void Connect(PathPlace place, const Connection& connection) {
    std::vector<Operation> operations;
    for (const Method& method :
         std::span(kMethods).first(connection.any_method ? std::size(kMethods) : kStreamMethods)) {
      operations.push_back({.method = method.name,
                            .action = "connect",
                            .id_verb = "connect",
                            .id_infix = method.infix,
                            .parameters = connection.parameters,
                            .types = kAnyTypes,
                            .answered = Answered::kText});
    }
    Path(place, operations);
    if (!connection.any_method) return;
    place.path += "/{path}";
    place.suffix += "WithPath";
    Path(place, operations);
  }

  void Path(const PathPlace& place, std::span<const Operation> operations) {
    json_.Member(place.path).Object([&] {
      for (const Operation& operation : operations) {
        json_.Member(operation.method).Object([&] { Members(place, operation); });
      }
      json_.Member("parameters").Array([&] {
        if (place.is_item) PathParameter("name");
        if (place.in_namespace) PathParameter("namespace");
        if (place.path.ends_with("{path}")) PathParameter("path");
        if (operations.front().action != "connect") {
          QueryParameter({.name = "pretty", .type = "string"});
        }
      });
    });
  }

  void Members(const PathPlace& place, const Operation& operation) {
    json_.Member("tags").Array(
        [&] { json_.Value(fmt::format("{}_{}", TagOf(kind_.group), kind_.version)); });
    json_.Member("description", DescriptionOf(operation));
    json_.Member("operationId",
                 fmt::format("{}{}{}{}{}{}",
                             operation.id_verb,
                             camel_version_,
                             operation.id_infix,
                             place.in_namespace ? "Namespaced" : "",
                             kind_.kind,
                             place.suffix));
    json_.Member("x-kubernetes-action", operation.action);
    const Subject& subject = place.subject;
    json_.Member(kKindExtension)
        .Object({{"group", subject.group}, {"version", subject.version}, {"kind", subject.kind}});
    if (is_v2_) {
      json_.Member("schemes").Array([&] { json_.Value("https"); });
      json_.Member("consumes")
          .ArrayOf(operation.sent == Sent::kPatch ? operation.request : MediaTypes(kAnyTypes));
      json_.Member("produces").ArrayOf(operation.types);
    }
    json_.Member("parameters").Array([&] {
      if (is_v2_ && operation.sent != Sent::kNothing) BodyParameter(operation.sent, subject);
      for (const Parameter& parameter : operation.parameters) QueryParameter(parameter);
    });
    if (!is_v2_ && operation.sent != Sent::kNothing) {
      json_.Member("requestBody").Object([&] {
        if (operation.sent != Sent::kDeleteOptions) json_.Member("required", true);
        Content(operation.request, NameOf(operation.sent, subject));
      });
    }
    Responses(operation, subject);
  }

  std::string DescriptionOf(const Operation& operation) const {
    if (operation.action == "connect") return fmt::format("Connects to a {}.", kind_.kind);
    if (operation.answered == Answered::kEvents) {
      return fmt::format("Watches {}: a list with the parameter watch does the same.",
                         kind_.plural);
    }
    return fmt::format("The verb {} of {}.", operation.action, kind_.plural);
  }

  void Responses(const Operation& operation, const Subject& subject) {
    const std::string object = AnswerOf(operation.answered, subject);
    const auto answer = [&](std::string_view code, std::string_view words) {
      json_.Member(code).Object([&] {
        json_.Member("description", words);
        if (!is_v2_) return Content(operation.types, object);
        json_.Member("schema");
        Reference(object);
      });
    };
    json_.Member("responses").Object([&] {
      for (const std::string_view code : operation.codes) {
        answer(code, code == "200" ? "OK" : code == "201" ? "Created" : "Accepted");
      }
      json_.Member("401").Object({{"description", "Unauthorized"}});
    });
  }

  // The name of the schema; empty: any object. kText: a text.
  std::string AnswerOf(Answered answered, const Subject& subject) {
    switch (answered) {
      case Answered::kText: return std::string(kText);
      case Answered::kStatus: return schemas_.Refer(api::TypeOf<api::meta_v1::Status>());
      case Answered::kEvents: return schemas_.ReferWatchEvent();
      case Answered::kObject: return NameOf(Sent::kObject, subject);
      case Answered::kList: break;
    }
    const api::CustomKind* custom = api::CustomOf(kind_);
    return (custom == nullptr ? schemas_.NameOf(kind_.type()) : CustomSchemaName(*custom)) + "List";
  }

  // The name of the schema of a body; empty: any object.
  std::string NameOf(Sent sent, const Subject& subject) {
    if (sent == Sent::kPatch) return schemas_.ReferPatch();
    if (sent == Sent::kDeleteOptions) {
      return schemas_.Refer(api::TypeOf<api::meta_v1::DeleteOptions>());
    }
    return subject.info == nullptr ? "" : schemas_.ReferKind(*subject.info);
  }

  // A body in one of these types: an object of the schema `name`; any object if that is empty.
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
    if (name == kText) return json_.Object({{"type", "string"}});
    if (name.empty()) return json_.Object({{"type", "object"}});
    schemas_.WriteReference(name);
  }

  void BodyParameter(Sent sent, const Subject& subject) {
    json_.Object([&] {
      json_.Member("name", "body");
      json_.Member("in", "body");
      if (sent != Sent::kDeleteOptions) json_.Member("required", true);
      json_.Member("schema");
      Reference(NameOf(sent, subject));
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

  static constexpr std::string_view kText = "text";

  const KindInfo& kind_;
  const bool is_v2_;
  const std::string camel_version_;
  const std::string base_, collection_;
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
