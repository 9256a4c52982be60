// SPDX-License-Identifier: Apache-2.0
#include "server/audit/event.h"

#include <algorithm>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/json_tree.h"
#include "api/codec/json_writer.h"
#include "api/managed_fields/apply.h"
#include "api/value/time.h"
#include "base/ascii.h"
#include "server/access/user_json.h"

namespace dray::server::audit {
namespace {

using api::JsonTree;

std::string TimeText(WallTime time) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  return api::MicroTime::FromUnixMicros(micros.count()).ToString();
}

void MemberIfThere(api::JsonWriter& json, std::string_view name, const std::string& text) {
  if (!text.empty()) json.Member(name, text);
}

void WriteReference(api::JsonWriter& json, const ObjectReference& object) {
  json.Object([&] {
    MemberIfThere(json, "resource", object.resource);
    MemberIfThere(json, "namespace", object.namespace_);
    MemberIfThere(json, "name", object.name);
    MemberIfThere(json, "uid", object.uid);
    MemberIfThere(json, "apiGroup", object.group);
    MemberIfThere(json, "apiVersion", object.version);
    MemberIfThere(json, "resourceVersion", object.resource_version);
    MemberIfThere(json, "subresource", object.subresource);
  });
}

// Digits, letters up to f, dots and colons: what addresses are made of.
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

JsonTree TextTree(std::string_view text) {
  JsonTree tree;
  tree.kind = api::JsonKind::kString;
  tree.text = text;
  return tree;
}

// With kind and apiVersion in front.
JsonTree WithKind(JsonTree tree, std::string_view version, std::string_view kind) {
  JsonTree named = JsonTree::Object();
  const auto put = [&](std::string_view name, std::string_view otherwise) {
    const JsonTree* const there = tree.members().Find(name);
    const bool is_there = there != nullptr && there->is_string() && !there->text.empty();
    if (is_there || !otherwise.empty()) {
      named.members().Set(name, is_there ? *there : TextTree(otherwise));
    }
  };
  put("kind", kind);
  put("apiVersion", version);
  for (auto& [name, member] : tree.members().All()) {
    if (name != "kind" && name != "apiVersion") named.members().Set(name, std::move(*member));
  }
  return named;
}

}  // namespace

std::string LineOf(const Event& event, Stage stage, WallTime now) {
  std::string line = api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("kind", "Event");
      json.Member("apiVersion", "audit.k8s.io/v1");
      json.Member("level", WordOf(event.level));
      json.Member("auditID", event.id);
      json.Member("stage", WordOf(stage));
      json.Member("requestURI", event.request_uri);
      json.Member("verb", event.verb);
      access::WriteUser(json.Member("user"), event.user);
      if (event.impersonated.has_value()) {
        access::WriteUser(json.Member("impersonatedUser"), *event.impersonated);
      }
      if (!event.source_ips.empty()) json.Member("sourceIPs").ArrayOf(event.source_ips);
      MemberIfThere(json, "userAgent", event.user_agent);
      if (event.object.has_value()) WriteReference(json.Member("objectRef"), *event.object);
      if (event.status.has_value()) {
        api::EncodeJson(
            api::TypeOf<api::meta_v1::Status>(), &*event.status, json.Member("responseStatus"));
      }
      if (!event.request_object.empty()) json.Member("requestObject").Raw(event.request_object);
      if (!event.response_object.empty()) json.Member("responseObject").Raw(event.response_object);
      json.Member("requestReceivedTimestamp", TimeText(event.received));
      json.Member("stageTimestamp", TimeText(now));
      if (event.annotations.empty()) return;
      json.Member("annotations").Object([&] {
        for (const auto& [key, value] : event.annotations) json.Member(key, value);
      });
    });
  });
  line += '\n';
  return line;
}

std::vector<std::string> SourcesOf(std::string_view forwarded_for,
                                   std::string_view real_ip,
                                   std::string_view peer) {
  std::vector<std::string> sources;
  while (!forwarded_for.empty()) {
    const size_t end = std::min(forwarded_for.find(','), forwarded_for.size());
    const std::string_view one = TrimSpace(forwarded_for.substr(0, end));
    if (IsAddress(one)) sources.emplace_back(one);
    forwarded_for.remove_prefix(std::min(end + 1, forwarded_for.size()));
  }
  const std::string_view real = TrimSpace(real_ip);
  if (IsAddress(real) && std::ranges::find(sources, real) == sources.end()) {
    sources.emplace_back(real);
  }
  const std::string_view host = HostOf(peer);
  if (!host.empty() && (sources.empty() || sources.back() != host)) sources.emplace_back(host);
  return sources;
}

std::string ObjectText(std::string_view json,
                       std::string_view version,
                       std::string_view kind,
                       bool omit_managed_fields) {
  Result<JsonTree> tree = api::ParseJsonTree(json, api::managed_fields::kDocumentDepthMax);
  if (!tree.has_value()) return {};
  JsonTree document = *std::move(tree);
  if (document.is_object()) {
    if (omit_managed_fields) DropAllOwners(document);
    document = WithKind(std::move(document), version, kind);
  }
  std::string text;
  api::WriteJsonTree(document, text);
  return text;
}

}  // namespace dray::server::audit
