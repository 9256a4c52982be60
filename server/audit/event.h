// SPDX-License-Identifier: Apache-2.0
// One line of the audit log: audit.k8s.io/v1 Event.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta_v1/status.h"
#include "base/world.h"
#include "server/access/user.h"
#include "server/audit/policy.h"

namespace dray::server::audit {

/// Bytes of a user agent; the rest is cut off, and that is said.
inline constexpr size_t kUserAgentMax = 1024;

struct ObjectReference {
  std::string resource;
  // NOLINTNEXTLINE(readability-identifier-naming): as in ObjectMeta
  std::string namespace_;
  std::string name, uid, group, version, resource_version, subresource;
};

struct Event {
  Level level = Level::kMetadata;
  std::string id;
  std::string request_uri, verb;
  access::User user;
  std::optional<access::User> impersonated = {};
  std::vector<std::string> source_ips = {};
  std::string user_agent = {};
  std::optional<ObjectReference> object = {};  // of resources
  std::optional<api::meta_v1::Status> status = {};
  std::string request_object = {}, response_object = {};  // JSON; empty: there is none
  WallTime received = {};
  std::map<std::string, std::string> annotations = {};
};

/// The event at `stage`, as one line with its end.
std::string LineOf(const Event& event, Stage stage, WallTime now);

/// Where a request came from: what proxies say, then the other end of the connection.
std::vector<std::string> SourcesOf(std::string_view forwarded_for,
                                   std::string_view real_ip,
                                   std::string_view peer);

/// `json`, one object or a list of them, compact and without who owns what if that is wanted;
/// `kind` and `version` are put in front where it has none. Empty when it is no JSON.
std::string ObjectText(std::string_view json,
                       std::string_view version,
                       std::string_view kind,
                       bool omit_managed_fields);

}  // namespace dray::server::audit
