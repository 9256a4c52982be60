// SPDX-License-Identifier: Apache-2.0
// The audit log's lines about one request, each an audit.k8s.io/v1 Event.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json_writer.h"
#include "api/meta_v1/status.h"
#include "base/world.h"
#include "server/access/user.h"
#include "server/audit/policy.h"

namespace dray::server::audit {

/// Limit of a user agent in bytes; a longer one is cut off, and the line marks the cut.
inline constexpr size_t kUserAgentMax = 1024;

/// The object of a request; empty fields are absent. The views need to live for one call only.
struct ObjectReference {
  std::string_view resource;
  // NOLINTNEXTLINE(readability-identifier-naming): as in ObjectMeta
  std::string_view namespace_;
  std::string_view name, uid, group, version, resource_version, subresource;
};

/// Where a request came from: the headers set by proxies, and the peer of the connection.
struct Origin {
  std::string_view forwarded_for, real_ip, peer;
};

/// What is known when a request begins. The views need to live for one call only.
struct Beginning {
  Level level = Level::kMetadata;
  std::string id;
  std::string_view request_uri, verb;
  const access::User& user;
  Origin origin = {};
  std::string_view user_agent = {};
  std::optional<ObjectReference> object = {};  // absent for paths that are no resource
  WallTime received = {};
};

/// Everything known about a request so far; each line contains all of it.
class Event {
 public:
  explicit Event(const Beginning& beginning);

  /// Replaces the object of the request, when more is known about it.
  void SetObject(const ObjectReference& object);
  /// Appends the event at `stage` as one line with a newline. A line at RequestReceived has, of the
  /// members added later, only the object.
  void AppendLine(Stage stage, WallTime now, std::string& out) const;
  WallTime received() const { return received_; }

  // Added while the request runs.

  std::optional<access::User> impersonated;
  std::string constraint;  // of the impersonation; empty: none
  int code = 0;            // HTTP status of the answer; 0: there is no answer
  std::optional<api::meta_v1::Status> status;
  std::string request_object, response_object;  // JSON; empty: there is none
  std::optional<bool> is_allowed;
  std::string reason;  // of is_allowed
  std::map<std::string, std::string, std::less<>> annotations;

 private:
  void WriteImpersonated(api::JsonWriter& json) const;
  void WriteAnswer(api::JsonWriter& json) const;
  void WriteAnnotations(api::JsonWriter& json) const;

  const Level level_;
  const std::string id_, request_uri_, verb_, user_agent_;
  const std::string user_, sources_;  // JSON; no sources: empty
  std::string object_;                // JSON; empty: there is none
  const WallTime received_;
};

/// The addresses in `origin`: those from proxies first, the connection's peer last.
std::vector<std::string_view> SourcesOf(const Origin& origin);

/// `json`, one object or a list of objects, as compact JSON with kind and apiVersion first, and
/// without managedFields if `omit_managed_fields`. Empty when `json` is not valid JSON.
std::string ObjectText(std::string_view json, bool omit_managed_fields);

}  // namespace dray::server::audit
