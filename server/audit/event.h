// SPDX-License-Identifier: Apache-2.0
// The lines of the audit log about one request: audit.k8s.io/v1 Event.
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

/// Bytes of a user agent; the rest is cut off, which the line says.
inline constexpr size_t kUserAgentMax = 1024;

/// What it refers to needs to live for a call only; empty: it has none.
struct ObjectReference {
  std::string_view resource;
  // NOLINTNEXTLINE(readability-identifier-naming): as in ObjectMeta
  std::string_view namespace_;
  std::string_view name, uid, group, version, resource_version, subresource;
};

/// Where a request came from: what proxies say, and the other end of the connection.
struct Origin {
  std::string_view forwarded_for, real_ip, peer;
};

/// What is known when a request begins. What its views refer to needs to live for a call only.
struct Beginning {
  Level level = Level::kMetadata;
  std::string id;
  std::string_view request_uri, verb;
  const access::User& user;
  Origin origin = {};
  std::string_view user_agent = {};
  std::optional<ObjectReference> object = {};  // of resources
  WallTime received = {};
};

/// A request as far as it is known; each line says all of it.
class Event {
 public:
  explicit Event(const Beginning& beginning);

  /// What the request is about, when more is known.
  void SetObject(const ObjectReference& object);
  /// Appends the event at `stage`, as one line with its end. What was received shows nothing of
  /// what was added later but the object.
  void AppendLine(Stage stage, WallTime now, std::string& out) const;
  WallTime received() const { return received_; }

  // What is added on the way.

  std::optional<access::User> impersonated;
  std::string constraint;  // of that; empty: without
  int code = 0;            // of the answer; 0: there is none
  std::optional<api::meta_v1::Status> status;
  std::string request_object, response_object;  // JSON; empty: there is none
  std::optional<bool> is_allowed;
  std::string reason;  // of that
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

/// The addresses that `origin` names: of proxies first, of the connection last.
std::vector<std::string_view> SourcesOf(const Origin& origin);

/// `json`, one object or a list of them, compact, its kind and version first, and without who owns
/// what if that is wanted. Empty when it is no JSON.
std::string ObjectText(std::string_view json, bool omit_managed_fields);

}  // namespace dray::server::audit
