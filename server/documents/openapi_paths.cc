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
#include "server/documents/openapi_operations.h"
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
    const size_t end = std::min(group.find_first_of(".-"), group.size());
    camel += Capitalised(group.substr(0, end));
    group.remove_prefix(std::min(end + 1, group.size()));
  }
  return camel;
}

std::string TagOf(std::string_view group) {
  std::string tag = CamelGroup(group);
  if (tag.front() >= 'A' && tag.front() <= 'Z') tag.front() += 'a' - 'A';
  return tag;
}

namespace {

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
        is_custom_(api::IsCustom(kind)),
        camel_version_(CamelGroup(kind.group) + Capitalised(kind.version)),
        base_(kind.group.empty() ? fmt::format("/api/{}", kind.version)
                                 : fmt::format("/apis/{}/{}", kind.group, kind.version)),
        collection_(
            fmt::format("{}{}", kind.namespaced ? "/namespaces/{namespace}/" : "/", kind.plural)),
        schemas_(schemas),
        json_(json) {}

  void Write(api::Release release) {
    const std::span<const Operation> all = CollectionOperations();
    const PathPlace whole = At(base_ + collection_);
    if (kind_.create_only) return Path(whole, all.subspan(1, 1));
    if (!registry::StrategyOf(kind_).is_stored) {
      Path(whole, all.first(1));
      return Path(Item(), ItemOperations().first(1));
    }
    const bool is_namespace = kind_.group.empty() && kind_.plural == "namespaces";
    Path(whole, is_namespace ? all.first(2) : all);  // namespaces go one by one
    if (kind_.namespaced) Path(Everywhere(base_, "ForAllNamespaces"), all.first(1));
    Path(Item(), ItemOperations());
    for (const Subresource& part : SubresourcesOf(kind_, release)) Part(part);
    if (!is_custom_) Watches();
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
    const std::span<const Operation> many(&WatchManyOperation(), 1);
    const std::string base = base_ + "/watch";
    PathPlace list = At(base + collection_);
    list.suffix = "List";
    Path(list, many);
    if (kind_.namespaced) Path(Everywhere(base, "ListForAllNamespaces"), many);
    PathPlace one = At(base + collection_ + "/{name}");
    one.is_item = true;
    Path(one, std::span(&WatchOneOperation(), 1));
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
    if (part.name == "log") return Path(place, std::span(&LogOperation(), 1));
    std::vector<Operation> operations;
    for (const std::string_view verb : part.verbs) {
      operations.push_back(OperationOf(verb));
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
        json_.Member(operation.method).Object([&] {
          Members(place, is_custom_ ? OfCustomKind(operation) : operation);
        });
      }
      json_.Member("parameters").Array([&] {
        if (place.is_item) PathParameter("name");
        if (place.in_namespace) PathParameter("namespace");
        if (place.path.ends_with("{path}")) PathParameter("path");
        SharedParameters(place, operations.front());
      });
    });
  }

  void SharedParameters(const PathPlace& place, const Operation& first) {
    constexpr Parameter kPretty = {.name = "pretty", .type = "string"};
    const size_t shared = SharesParameters(place) ? first.parameters.size() : 0;
    bool is_due = first.action != "connect";
    for (const Parameter& parameter : first.parameters.first(shared)) {
      if (parameter.name > kPretty.name && std::exchange(is_due, false)) QueryParameter(kPretty);
      QueryParameter(parameter);
    }
    if (is_due) QueryParameter(kPretty);
  }

  /// The parameters of the only operation are those of the path: on custom kinds everywhere.
  bool SharesParameters(const PathPlace& place) const {
    return is_custom_ && kind_.namespaced && !place.in_namespace;
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
    if (is_custom_) {  // also of its subresources
      WriteKindName(kind_, kind_.kind, json_.Member(kKindExtension));
    } else {
      json_.Member(kKindExtension)
          .Object({{"group", subject.group}, {"version", subject.version}, {"kind", subject.kind}});
    }
    if (is_v2_) {
      json_.Member("schemes").Array([&] { json_.Value("https"); });
      json_.Member("consumes")
          .ArrayOf(operation.sent == Sent::kPatch ? operation.request
                   : is_custom_                   ? operation.types
                                                  : MediaTypes(kAnyTypes));
      json_.Member("produces").ArrayOf(operation.types);
    }
    if (!SharesParameters(place)) {
      json_.Member("parameters").Array([&] { OwnParameters(operation, subject); });
    }
    if (!is_v2_ && operation.sent != Sent::kNothing) {
      json_.Member("requestBody").Object([&] {
        if (operation.sent != Sent::kDeleteOptions) json_.Member("required", true);
        Content(operation.request, NameOf(operation.sent, subject));
      });
    }
    Responses(operation, subject);
  }

  void OwnParameters(const Operation& operation, const Subject& subject) {
    if (is_v2_ && operation.sent != Sent::kNothing) BodyParameter(operation.sent, subject);
    for (const Parameter& parameter : operation.parameters) QueryParameter(parameter);
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
  const bool is_v2_, is_custom_;
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
