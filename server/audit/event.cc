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
#include "base/json_text.h"
#include "server/access/user_json.h"

namespace dray::server::audit {
namespace {

using api::JsonTree;
using std::string_view_literals::operator""sv;  // whose length is known

void AppendText(std::string_view text, std::string& out) {
  AppendJsonString(text, JsonEscapes::kWeb, out);
}

// Requests that follow each other are mostly of one second, whose text is kept.
void AppendTime(WallTime time, std::string& out) {
  struct Written {
    std::chrono::sys_seconds second;
    std::string text;
  };
  static thread_local Written last;
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  if (last.text.empty() || last.second != second) {
    const auto micros = std::chrono::microseconds(second.time_since_epoch()).count();
    last = {.second = second, .text = api::MicroTime::FromUnixMicros(micros).ToString()};
  }
  out += last.text;
  auto micros = std::chrono::floor<std::chrono::microseconds>(time - second).count();
  constexpr size_t kDigits = 6;
  char* const end = &out.back();  // the Z
  for (size_t i = 1; i <= kDigits; ++i, micros /= 10) {
    *(end - i) = static_cast<char>('0' + micros % 10);
  }
}

// Many requests that follow each other are of one user: to compare is faster than to write.
void AppendUser(const access::User& user, std::string& out) {
  struct Written {
    access::User user;
    std::string text;
  };
  static thread_local Written last;
  if (last.text.empty() || last.user != user) {
    // Built aside: an allocation that fails half-way must not leave text that belongs to no user.
    Written written{.user = user, .text = {}};
    api::JsonWriter json(written.text);
    access::WriteUser(json, user);
    last = std::move(written);
  }
  out += last.text;
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

void AppendSources(const Origin& origin, std::string& out) {
  std::string_view before = R"(,"sourceIPs":[)";
  const auto add = [&](std::string_view source) {
    out += std::exchange(before, ",");
    AppendText(source, out);
  };
  if (origin.forwarded_for.empty() && origin.real_ip.empty()) {  // no need for a list of them
    if (const std::string_view host = HostOf(origin.peer); !host.empty()) add(host);
  } else {
    for (const std::string_view source : SourcesOf(origin)) add(source);
  }
  if (before == ",") out += ']';
}

void AppendObject(const ObjectReference& object, std::string& out) {
  out += R"(,"objectRef":{)"sv;
  std::string_view before = R"(")";
  const auto member = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out += std::exchange(before, R"(,")");
    out += name;
    out += R"(":)"sv;
    AppendText(value, out);
  };
  member("resource", object.resource);
  member("namespace", object.namespace_);
  member("name", object.name);
  member("uid", object.uid);
  member("apiGroup", object.group);
  member("apiVersion", object.version);
  member("resourceVersion", object.resource_version);
  member("subresource", object.subresource);
  out += '}';
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

Event::Event(const Beginning& beginning) : received_(beginning.received) {
  constexpr size_t kUsual = 960;
  text_.reserve(kUsual);
  text_ += R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":")"sv;
  text_ += WordOf(beginning.level);
  text_ += R"(","auditID":)"sv;
  AppendText(beginning.id, text_);
  text_ += R"(,"stage":")"sv;
  stage_ = text_.size();
  text_ += R"(","requestURI":)"sv;
  AppendText(beginning.request_uri, text_);
  text_ += R"(,"verb":)"sv;
  AppendText(beginning.verb, text_);
  text_ += R"(,"user":)"sv;
  AppendUser(beginning.user, text_);
  impersonated_ = text_.size();
  AppendSources(beginning.origin, text_);
  if (const std::string_view agent = beginning.user_agent; !agent.empty()) {
    text_ += R"(,"userAgent":)"sv;
    AppendText(agent.size() <= kUserAgentMax ? agent : std::string_view(CutAgent(agent)), text_);
  }
  object_ = text_.size();
  if (beginning.object.has_value()) AppendObject(*beginning.object, text_);
  object_end_ = text_.size();
  text_ += R"(,"requestReceivedTimestamp":")"sv;
  AppendTime(received_, text_);
  text_ += R"(","stageTimestamp":")"sv;
}

void Event::SetObject(const ObjectReference& object) {
  std::string text;
  AppendObject(object, text);
  text_.replace(object_, object_end_ - object_, text);
  object_end_ = object_ + text.size();
}

void Event::AppendLine(Stage stage, WallTime now, std::string& out) const {
  constexpr size_t kUsual = 256;  // of what is added here
  out.reserve(out.size() + text_.size() + request_object.size() + response_object.size() + kUsual);
  const std::string_view text = text_;
  out += text.substr(0, stage_);
  out += WordOf(stage);
  out += text.substr(stage_, impersonated_ - stage_);
  const bool is_received = stage == Stage::kRequestReceived;
  if (impersonated.has_value() && !is_received) {
    out += R"(,"impersonatedUser":)"sv;
    AppendUser(*impersonated, out);
    if (!constraint.empty()) {
      out += R"(,"authenticationMetadata":{"impersonationConstraint":)"sv;
      AppendText(constraint, out);
      out += '}';
    }
  }
  out += text.substr(impersonated_, object_end_ - impersonated_);
  if (!is_received) AppendAnswer(out);
  out += text.substr(object_end_);
  AppendTime(now, out);
  out += '"';
  if (!is_received) AppendAnnotations(out);
  out += "}\n"sv;
}

void Event::AppendAnswer(std::string& out) const {
  if (status.has_value()) {
    api::meta_v1::Status shown = *status;
    shown.code = code;
    out += R"(,"responseStatus":)"sv;
    api::JsonWriter json(out);
    api::EncodeJson(api::TypeOf<api::meta_v1::Status>(), &shown, json);
  } else if (code != 0) {
    out += R"(,"responseStatus":{"metadata":{},"code":)"sv;
    api::JsonScalar(code).AppendTo(out);
    out += '}';
  }
  const auto object = [&](std::string_view begin, const std::string& json) {
    if (json.empty()) return;
    out += begin;
    out += json;
  };
  object(R"(,"requestObject":)", request_object);
  object(R"(,"responseObject":)", response_object);
}

// Sorted, those of the decision among them.
void Event::AppendAnnotations(std::string& out) const {
  constexpr std::string_view kDecision = R"("authorization.k8s.io/decision":")";
  std::string_view before = R"(,"annotations":{)";
  const auto decide = [&] {
    if (!is_allowed.has_value()) return;
    out += std::exchange(before, ",");
    out += kDecision;
    out += *is_allowed ? "allow" : "forbid";
    out += R"(","authorization.k8s.io/reason":)"sv;
    AppendText(reason, out);
  };
  const auto middle = annotations.lower_bound("authorization.k8s.io/decision");
  for (auto at = annotations.begin();; ++at) {
    if (at == middle) decide();
    if (at == annotations.end()) break;
    out += std::exchange(before, ",");
    AppendText(at->first, out);
    out += ':';
    AppendText(at->second, out);
  }
  if (before == ",") out += '}';
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
