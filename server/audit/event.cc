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

// Appends what `members(JsonWriter&)` writes to the object that `out` ends with, which is not
// closed yet, and is not empty.
template <class Members>
void AppendMembers(std::string& out, Members&& members) {
  const size_t begin = out.size();
  api::JsonWriter json(out);
  json.Object([&] { members(json); });
  out.pop_back();  // its end
  if (out.size() == begin + 1) return out.pop_back();
  out[begin] = ',';
}

std::string CutAgent(std::string_view agent) {
  return std::string(agent.substr(0, kUserAgentMax)) + "...TRUNCATED";
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

Event::Event(const Beginning& beginning) {
  constexpr size_t kUsual = 768;
  text_.reserve(kUsual);
  api::JsonWriter json(text_);
  json.Object({{"kind", "Event"},
               {"apiVersion", "audit.k8s.io/v1"},
               {"level", WordOf(beginning.level)},
               {"auditID", beginning.id}});
  text_.pop_back();  // its end: more comes
  stage_ = text_.size();
  AppendMembers(text_, [&](api::JsonWriter& question) {
    question.Member("requestURI", beginning.request_uri);
    question.Member("verb", beginning.verb);
    access::WriteUser(question.Member("user"), beginning.user);
  });
  impersonated_ = text_.size();
  AppendMembers(text_, [&](api::JsonWriter& origin) {
    if (!beginning.source_ips.empty()) origin.Member("sourceIPs").ArrayOf(beginning.source_ips);
    const std::string_view agent = beginning.user_agent;
    if (agent.empty()) return;
    if (agent.size() <= kUserAgentMax) return origin.Member("userAgent", agent);
    origin.Member("userAgent", CutAgent(agent));
  });
  object_ = text_.size();
  AppendMembers(text_, [&](api::JsonWriter& received) {
    received.Member("requestReceivedTimestamp", TimeText(beginning.received));
  });
  if (beginning.object.has_value()) SetObject(*beginning.object);
}

void Event::SetObject(const ObjectReference& object) {
  constexpr size_t kUsual = 192;
  object_text_.clear();
  object_text_.reserve(kUsual);
  AppendMembers(object_text_, [&](api::JsonWriter& json) {
    json.Member("objectRef").Object([&] {
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

void Event::AppendLine(Stage stage, WallTime now, std::string& out) const {
  constexpr size_t kUsual = 256;  // of what is added here
  out.reserve(out.size() + text_.size() + object_text_.size() + request_object.size() +
              response_object.size() + kUsual);
  const std::string_view text = text_;
  out += text.substr(0, stage_);
  AppendMembers(out, [&](api::JsonWriter& json) { json.Member("stage", WordOf(stage)); });
  out += text.substr(stage_, impersonated_ - stage_);
  AppendMembers(out, [&](api::JsonWriter& json) {
    if (impersonated.has_value()) access::WriteUser(json.Member("impersonatedUser"), *impersonated);
  });
  out += text.substr(impersonated_, object_ - impersonated_);
  out += object_text_;
  AppendMembers(out, [&](api::JsonWriter& json) { WriteAnswer(json); });
  out += text.substr(object_);
  AppendMembers(out, [&](api::JsonWriter& json) {
    json.Member("stageTimestamp", TimeText(now));
    WriteAnnotations(json);
  });
  out += "}\n";
}

void Event::WriteAnswer(api::JsonWriter& json) const {
  if (status.has_value()) {
    api::meta_v1::Status shown = *status;
    shown.code = code;
    api::EncodeJson(api::TypeOf<api::meta_v1::Status>(), &shown, json.Member("responseStatus"));
  } else if (code != 0) {
    json.Member("responseStatus").Object([&] {
      json.Member("metadata").Object([] {});
      json.Member("code", code);
    });
  }
  if (!request_object.empty()) json.Member("requestObject").Raw(request_object);
  if (!response_object.empty()) json.Member("responseObject").Raw(response_object);
}

// Sorted, those of the decision among them.
void Event::WriteAnnotations(api::JsonWriter& json) const {
  if (annotations.empty() && !is_allowed.has_value()) return;
  constexpr std::string_view kDecision = "authorization.k8s.io/decision";
  json.Member("annotations").Object([&] {
    const auto middle = annotations.lower_bound(kDecision);
    for (auto at = annotations.begin(); at != middle; ++at) json.Member(at->first, at->second);
    if (is_allowed.has_value()) {
      json.Member(kDecision, *is_allowed ? "allow" : "forbid");
      json.Member("authorization.k8s.io/reason", reason);
    }
    for (auto at = middle; at != annotations.end(); ++at) json.Member(at->first, at->second);
  });
}

std::vector<std::string_view> SourcesOf(std::string_view forwarded_for,
                                        std::string_view real_ip,
                                        std::string_view peer) {
  std::vector<std::string_view> sources;
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
