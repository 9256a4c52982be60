// SPDX-License-Identifier: Apache-2.0
#include "client/kubeconfig.h"

#include <optional>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "api/codec/yaml.h"
#include "base/text/base64.h"
#include "base/try.h"

namespace dray::client {
namespace {

namespace json = boost::json;

Failure Bad(std::string message) {
  return Fail(StatusReason::kBadRequest, "kubeconfig: " + std::move(message));
}

/// The member of an object: null when it is absent or `value` is no object.
const json::value* Member(const json::value& value, std::string_view name) {
  const json::object* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

/// A text member; empty when absent. Errors: kBadRequest  it is no text.
Result<std::string> Text(const json::value& value, std::string_view name) {
  const json::value* member = Member(value, name);
  if (member == nullptr || member->is_null()) return std::string();
  if (!member->is_string()) return Bad(fmt::format("{} is not a string", name));
  return std::string(member->get_string());
}

/// The `part` of the entry called `name` in `list`: clusters[name].cluster.
Result<json::value> Named(const json::value& config,
                          std::string_view list,
                          std::string_view part,
                          std::string_view name) {
  const json::value* entries = Member(config, list);
  if (entries != nullptr && entries->is_array()) {
    for (const json::value& entry : entries->get_array()) {
      DRAY_TRY(const std::string entry_name, Text(entry, "name"));
      const json::value* found = Member(entry, part);
      if (entry_name == name && found != nullptr) return *found;
    }
  }
  return Bad(fmt::format("{} has no \"{}\"", list, name));
}

struct Place {
  std::string_view folder;
  Disk& disk;
};

/// The base64 in `<name>-data`, or else the content of the file `<name>`.
Result<std::string> DataOrFile(const json::value& value,
                               const std::string& name,
                               const Place& place) {
  DRAY_TRY(const std::string data, Text(value, name + "-data"));
  if (!data.empty()) {
    std::optional<std::string> decoded = DecodeBase64(data);
    if (!decoded) return Bad(name + "-data is not base64");
    return *std::move(decoded);
  }
  DRAY_TRY(const std::string path, Text(value, name));
  if (path.empty()) return std::string();
  return place.disk.Read(path.starts_with('/') ? path : fmt::format("{}/{}", place.folder, path));
}

Result<> ReadUser(const json::value& user, const Place& place, ClusterAccess& access) {
  for (const char* unsupported : {"exec", "auth-provider", "username"}) {
    if (Member(user, unsupported) != nullptr) {
      return Bad(fmt::format("{} is not supported; use a certificate or a token", unsupported));
    }
  }
  DRAY_TRY(access.certificate_pem, DataOrFile(user, "client-certificate", place));
  DRAY_TRY(access.key_pem, DataOrFile(user, "client-key", place));
  DRAY_TRY(access.token, Text(user, "token"));
  if (access.token.empty()) {
    DRAY_TRY(access.token, DataOrFile(user, "tokenFile", place));
    while (access.token.ends_with('\n')) access.token.pop_back();
  }
  return {};
}

}  // namespace

Result<ClusterAccess> ParseKubeconfig(std::string_view text,
                                      std::string_view context,
                                      std::string_view folder,
                                      Disk& disk) {
  DRAY_TRY(const api::YamlDocument document, api::YamlToJson(text));
  json::error_code error;
  const json::value config = json::parse(document.json, error);
  if (error) return Bad(error.message());
  std::string name(context);
  if (name.empty()) {
    DRAY_TRY(name, Text(config, "current-context"));
  }
  if (name.empty()) return Bad("no context given and no current-context");
  DRAY_TRY(const json::value chosen, Named(config, "contexts", "context", name));
  DRAY_TRY(const std::string cluster_name, Text(chosen, "cluster"));
  DRAY_TRY(const json::value cluster, Named(config, "clusters", "cluster", cluster_name));

  const Place place{.folder = folder, .disk = disk};
  ClusterAccess access;
  DRAY_TRY(access.namespace_, Text(chosen, "namespace"));
  DRAY_TRY(access.server, Text(cluster, "server"));
  if (access.server.empty())
    return Bad(fmt::format("cluster \"{}\" names no server", cluster_name));
  DRAY_TRY(access.ca_pem, DataOrFile(cluster, "certificate-authority", place));
  const json::value* skip = Member(cluster, "insecure-skip-tls-verify");
  access.skip_verification = skip != nullptr && skip->is_bool() && skip->get_bool();
  DRAY_TRY(const std::string user_name, Text(chosen, "user"));
  if (user_name.empty()) return access;
  DRAY_TRY(const json::value user, Named(config, "users", "user", user_name));
  DRAY_TRY_VOID(ReadUser(user, place, access));
  return access;
}

}  // namespace dray::client
