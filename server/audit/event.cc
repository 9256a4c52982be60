// SPDX-License-Identifier: Apache-2.0
#include "server/audit/event.h"

#include <algorithm>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/json_tree.h"
#include "api/codec/json_writer.h"
#include "api/managed_fields/apply.h"
#include "api/value/time.h"
#include "base/text/ascii.h"
#include "server/access/user_json.h"

namespace dray::server::audit {
namespace {

using api::JsonTree;

void WriteTime(api::JsonWriter& json, std::string_view name, WallTime time) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  const api::InstantText text = api::MicroTime::FromUnixMicros(micros.count()).text();
  json.Member(name, std::string_view(text));
}

std::string UserText(const access::User& user) {
  return api::JsonText([&](api::JsonWriter& json) { access::WriteUser(json, user); });
}

std::string ShownAgent(std::string_view agent) {
  if (agent.size() <= kUserAgentMax) return std::string(agent);
  return std::string(agent.substr(0, kUserAgentMax)) + "...TRUNCATED";
}

// Whether the text has only characters of IP addresses: hexadecimal digits, dots and colons.
bool IsAddress(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '.' ||
           c == ':';
  });
}

// "127.0.0.1:40112" and "[::1]:40112" without the port.
std::string_view HostOf(std::string_view peer) {
  std::string_view host = peer.substr(0, std::min(peer.rfind(':'), peer.size()));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

std::string SourcesText(const Origin& origin) {
  const std::vector<std::string_view> sources = SourcesOf(origin);
  if (sources.empty()) return {};
  return api::JsonText([&](api::JsonWriter& json) { json.ArrayOf(sources); });
}

std::string ReferenceText(const ObjectReference& object) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      const auto member = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) json.Member(name, value);
      };
      member("resource", object.resource);
      member("namespace", object.namespace_);
      member("name", object.name);
      member("uid", object.uid);
      member("apiGroup", object.group);
      member("apiVersion", object.version);
      member("resourceVersion", object.resource_version);
      member("subresource", object.subresource);
    });
  });
}

void DropOwners(JsonTree& object) {
  JsonTree* const metadata = object.is_object() ? object.members().Find("metadata") : nullptr;
  if (metadata != nullptr && metadata->is_object()) metadata->members().Take("managedFields");
}

void DropAllOwners(JsonTree& tree) {
  DropOwners(tree);
  JsonTree* const items = tree.members().Find("items");
  if (items == nullptr || !items->is_array()) return;
  for (JsonTree& item : items->elements()) DropOwners(item);
}

// With kind and apiVersion in front.
JsonTree WithKind(JsonTree tree) {
  JsonTree named = JsonTree::Object();
  for (const std::string_view name : {"kind", "apiVersion"}) {
    const JsonTree* const there = tree.members().Find(name);
    if (there != nullptr && there->is_string() && !there->text.empty()) {
      named.members().Set(name, *there);
    }
  }
  for (auto& [name, member] : tree.members().All()) {
    if (name != "kind" && name != "apiVersion") named.members().Set(name, std::move(*member));
  }
  return named;
}

}  // namespace

Event::Event(const Beginning& beginning)
    : level_(beginning.level),
      id_(beginning.id),
      request_uri_(beginning.request_uri),
      verb_(beginning.verb),
      user_agent_(ShownAgent(beginning.user_agent)),
      user_(UserText(beginning.user)),
      sources_(SourcesText(beginning.origin)),
      object_(beginning.object.has_value() ? ReferenceText(*beginning.object) : std::string()),
      received_(beginning.received) {}

void Event::SetObject(const ObjectReference& object) {
  object_ = ReferenceText(object);
}

void Event::AppendLine(Stage stage, WallTime now, std::string& out) const {
  api::JsonWriter json(out);
  const bool is_received = stage == Stage::kRequestReceived;
  json.Object([&] {
    json.Member("kind", "Event");
    json.Member("apiVersion", "audit.k8s.io/v1");
    json.Member("level", WordOf(level_));
    json.Member("auditID", id_);
    json.Member("stage", WordOf(stage));
    json.Member("requestURI", request_uri_);
    json.Member("verb", verb_);
    json.Member("user").Raw(user_);
    if (!is_received) WriteImpersonated(json);
    if (!sources_.empty()) json.Member("sourceIPs").Raw(sources_);
    if (!user_agent_.empty()) json.Member("userAgent", user_agent_);
    if (!object_.empty()) json.Member("objectRef").Raw(object_);
    if (!is_received) WriteAnswer(json);
    WriteTime(json, "requestReceivedTimestamp", received_);
    WriteTime(json, "stageTimestamp", now);
    if (!is_received) WriteAnnotations(json);
  });
  out += '\n';
}

void Event::WriteImpersonated(api::JsonWriter& json) const {
  if (!impersonated.has_value()) return;
  access::WriteUser(json.Member("impersonatedUser"), *impersonated);
  if (constraint.empty()) return;
  json.Member("authenticationMetadata").Object({{"impersonationConstraint", constraint}});
}

void Event::WriteAnswer(api::JsonWriter& json) const {
  if (status.has_value()) {
    api::meta_v1::Status shown = *status;
    shown.code = code;
    api::EncodeJson(api::TypeOf<api::meta_v1::Status>(), &shown, json.Member("responseStatus"));
  } else if (code != 0) {
    json.Member("responseStatus").Object([&] {
      json.Member("metadata").Object({});
      json.Member("code", code);
    });
  }
  if (!request_object.empty()) json.Member("requestObject").Raw(request_object);
  if (!response_object.empty()) json.Member("responseObject").Raw(response_object);
}

// Writes the annotations sorted by key, with those of the authorization decision among them.
void Event::WriteAnnotations(api::JsonWriter& json) const {
  if (annotations.empty() && !is_allowed.has_value()) return;
  constexpr std::string_view kDecision = "authorization.k8s.io/decision";
  const auto write = [&](auto begin, auto end) {
    for (auto at = begin; at != end; ++at) json.Member(at->first, at->second);
  };
  const auto middle = annotations.lower_bound(kDecision);
  json.Member("annotations").Object([&] {
    write(annotations.begin(), middle);
    if (is_allowed.has_value()) {
      json.Member(kDecision, *is_allowed ? "allow" : "forbid");
      json.Member("authorization.k8s.io/reason", reason);
    }
    write(middle, annotations.end());
  });
}

std::vector<std::string_view> SourcesOf(const Origin& origin) {
  std::vector<std::string_view> sources;
  std::string_view forwarded_for = origin.forwarded_for;
  while (!forwarded_for.empty()) {
    const size_t end = std::min(forwarded_for.find(','), forwarded_for.size());
    const std::string_view one = TrimSpace(forwarded_for.substr(0, end));
    if (IsAddress(one)) sources.emplace_back(one);
    forwarded_for.remove_prefix(std::min(end + 1, forwarded_for.size()));
  }
  const std::string_view real = TrimSpace(origin.real_ip);
  if (IsAddress(real) && std::ranges::find(sources, real) == sources.end()) {
    sources.emplace_back(real);
  }
  const std::string_view host = HostOf(origin.peer);
  if (!host.empty() && (sources.empty() || sources.back() != host)) sources.emplace_back(host);
  return sources;
}

std::string ObjectText(std::string_view json, bool omit_managed_fields) {
  Result<JsonTree> tree = api::ParseJsonTree(json, api::managed_fields::kDocumentDepthMax);
  if (!tree.has_value()) return {};
  JsonTree document = *std::move(tree);
  if (document.is_object()) {
    if (omit_managed_fields) DropAllOwners(document);
    document = WithKind(std::move(document));
  }
  std::string text;
  api::WriteJsonTree(document, text);
  return text;
}

}  // namespace dray::server::audit
