// SPDX-License-Identifier: Apache-2.0
#include "tests/rest/hook.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/try.h"
#include "net/reactor.h"
#include "net/tls/context.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/shape.h"

namespace dray::rest {
namespace {

namespace json = boost::json;
using vectors::ListOf;
using vectors::TextOf;

json::value ReadJson(std::string_view text) {
  boost::system::error_code failed;
  json::value read = json::parse(text, failed);
  return failed ? json::value() : read;
}

// The names of a pointer: "/a/b" has a and b.
std::vector<std::string> PartsOf(std::string_view pointer) {
  std::vector<std::string> parts;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view part = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(part.size());
    std::string name(part);
    for (const auto& [escape, letter] : {std::pair("~1", '/'), std::pair("~0", '~')}) {
      for (size_t at = name.find(escape); at != std::string::npos; at = name.find(escape, at + 1)) {
        name.replace(at, 2, 1, letter);
      }
    }
    parts.push_back(std::move(name));
  }
  return parts;
}

// The element or member `name`; null if there is none.
json::value* Inner(json::value& outer, const std::string& name) {
  if (json::object* object = outer.if_object()) return object->if_contains(name);
  json::array* list = outer.if_array();
  const size_t index = static_cast<size_t>(std::atoi(name.c_str()));
  return list == nullptr || index >= list->size() ? nullptr : &(*list)[index];
}

json::value* Find(json::value& value, std::span<const std::string> parts) {
  json::value* at = &value;
  for (const std::string& part : parts) {
    at = Inner(*at, part);
    if (at == nullptr) return nullptr;
  }
  return at;
}

// Sets the value; parents that are missing are made.
void Place(json::value& value, std::string_view pointer, json::value placed) {
  json::value* at = &value;
  for (const std::string& part : PartsOf(pointer)) {
    if (at->is_null()) *at = json::object();
    if (json::object* object = at->if_object()) {
      at = &(*object)[part];
    } else {
      at = Inner(*at, part);
      if (at == nullptr) return;
    }
  }
  *at = std::move(placed);
}

// Takes the value out; nothing if it is not there.
std::optional<json::value> Take(json::value& value, std::string_view pointer) {
  const std::vector<std::string> parts = PartsOf(pointer);
  json::value* const parent = Find(value, std::span(parts).first(parts.size() - 1));
  json::value* const found = parent == nullptr ? nullptr : Inner(*parent, parts.back());
  if (found == nullptr) return std::nullopt;
  json::value taken = std::move(*found);
  if (json::object* object = parent->if_object()) {
    object->erase(parts.back());
  } else {
    json::array& list = parent->as_array();
    list.erase(list.begin() + std::atoi(parts.back().c_str()));
  }
  return taken;
}

void Edit(json::value& value, const json::object& edit) {
  const std::string_view op = TextOf(edit, "op");
  const std::string_view path = TextOf(edit, "path");
  const std::string_view from = TextOf(edit, "from");
  if (op == "set") {
    Place(value, path, edit.at("value"));
  } else if (op == "remove") {
    (void)Take(value, path);
  } else if (op == "move") {
    if (std::optional<json::value> moved = Take(value, from)) Place(value, path, *std::move(moved));
  } else if (const json::value* source = Find(value, PartsOf(from))) {
    Place(value, path, *source);
  }
}

// The answer to a ConversionReview by a script.
std::string Converted(const json::object& script, const json::value& review) {
  const json::object& request = review.at("request").as_object();
  const std::string_view desired = TextOf(request, "desiredAPIVersion");
  const std::string_view version = desired.substr(desired.rfind('/') + 1);
  json::array objects = request.at("objects").as_array();
  for (json::value& object : objects) {
    object.as_object()["apiVersion"] = desired;
    for (const std::string_view edits : {version, std::string_view("*")}) {
      for (const json::value& edit : ListOf(script.at("convert").as_object(), edits)) {
        Edit(object, edit.as_object());
      }
    }
  }
  json::value answer = json::object{{"apiVersion", review.at("apiVersion")},
                                    {"kind", review.at("kind")},
                                    {"response",
                                     {{"uid", request.at("uid")},
                                      {"convertedObjects", std::move(objects)},
                                      {"result", {{"status", "Success"}}}}}};
  for (const json::value& edit : ListOf(script, "then")) Edit(answer, edit.as_object());
  return json::serialize(answer);
}

void FillIn(std::string& text, std::string_view word, std::string_view by) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
}

std::string BodyOf(const json::object& script, const json::value& review) {
  if (script.contains("convert")) return Converted(script, review);
  std::string body(TextOf(script, "body"));
  if (body.contains("${uid}")) {
    FillIn(body, "${uid}", TextOf(review.at("request").as_object(), "uid"));
  }
  if (const json::value* times = script.if_contains("repeat")) {
    FillIn(body, "${filler}", std::string(times->to_number<size_t>(), 'x'));
  }
  return body;
}

bool Holds(const json::object& script, json::value review) {
  const json::value* const when = script.if_contains("when");
  return when != nullptr && std::ranges::all_of(when->as_object(), [&](const auto& member) {
           const json::value* found = Find(review, PartsOf(member.key()));
           return found != nullptr && *found == member.value();
         });
}

net::ResponseHead HeadOf(const json::object& script) {
  net::ResponseHead head;
  const json::value* const status = script.if_contains("status");
  if (status != nullptr) head.status = status->to_number<int>();
  const json::value* const headers = script.if_contains("headers");
  bool has_type = false;
  if (headers != nullptr) {
    for (const auto& [name, value] : headers->as_object()) {
      has_type = has_type || name == "Content-Type";
      head.headers.Add(std::string(name), std::string(value.as_string()));
    }
  }
  if (!has_type) head.headers.Add("Content-Type", "application/json");
  return head;
}

}  // namespace

void HookCalls::Add(HookCall call) {
  const MutexLock lock(mutex_);
  calls_.push_back(std::move(call));
}

std::vector<HookCall> HookCalls::Take() {
  const MutexLock lock(mutex_);
  return std::exchange(calls_, {});
}

Result<std::unique_ptr<Hook>> Hook::Start(Disk& disk,
                                          const std::string& tls,
                                          const json::object& step,
                                          HookCalls& calls) {
  std::unique_ptr<Hook> hook(new Hook(step, calls));
  std::string_view stem = TextOf(step, "certificate");
  if (stem.empty()) stem = "server";
  net::server::HttpServerOptions options;
  DRAY_TRY(std::string certificate, disk.Read(fmt::format("{}/{}.crt", tls, stem)));
  DRAY_TRY(std::string key, disk.Read(fmt::format("{}/{}.key", tls, stem)));
  DRAY_TRY(
      options.tls,
      net::tls::ServerContext::Create(
          {.credentials = {.certificate_pem = certificate, .key_pem = key}, .client_ca_pem = ""}));
  DRAY_TRY(
      hook->server_,
      net::server::HttpServer::Start(RealWorld().clock, Log::Silent(), std::move(options), *hook));
  hook->port_ = hook->server_->port();
  const json::value* const listening = step.if_contains("listening");
  if (listening != nullptr && !listening->as_bool()) hook->server_.reset();
  return hook;
}

const json::object* Hook::Choose(std::string_view path, const json::value& review) {
  const json::value* const answers = step_.if_contains("answers");
  const json::value* const row =
      answers == nullptr ? nullptr : answers->as_object().if_contains(path);
  if (row == nullptr) return nullptr;
  std::vector<const json::object*> plain;
  for (const json::value& one : row->as_array()) {
    const json::object& script = one.as_object();
    if (Holds(script, review)) return &script;
    if (!script.contains("when")) plain.push_back(&script);
  }
  if (plain.empty()) return nullptr;
  const MutexLock lock(mutex_);
  const size_t next = taken_[std::string(path)]++;
  return plain[std::min(next, plain.size() - 1)];
}

void Hook::Retire() {
  const MutexLock lock(mutex_);
  is_retired_ = true;
}

bool Hook::Serves(const std::string& peer) {
  const MutexLock lock(mutex_);
  if (!is_retired_) served_.insert(peer);
  return served_.contains(peer);
}

void Hook::Handle(net::Request request, std::shared_ptr<net::Responder> responder) {
  if (!Serves(request.peer->address)) return responder->Abort();
  calls_.Add({.method = request.method,
              .target = request.target,
              .content_type = std::string(request.headers.Get("Content-Type")),
              .accept = std::string(request.headers.Get("Accept")),
              .body = request.body});
  const json::value review = ReadJson(request.body);
  const json::object* const script = Choose(request.path(), review);
  if (script == nullptr) return responder->Respond({.status = 404}, net::Bytes("no such path"));
  const auto answer = [responder, script, review] {
    const json::value* const close = script->if_contains("close");
    if (close != nullptr && close->as_bool()) return responder->Abort();
    responder->Respond(HeadOf(*script), net::Bytes(BodyOf(*script, review)));
  };
  const json::value* const delay = script->if_contains("delay_seconds");
  if (delay == nullptr) return answer();
  const std::chrono::duration<double> time(vectors::NumberOf(*delay));
  // The timer lives as long as its function.
  const auto timer = std::make_shared<net::Timer>();
  *timer = responder->reactor().RunAfter(std::chrono::duration_cast<std::chrono::nanoseconds>(time),
                                         [answer, timer] { answer(); });
}

}  // namespace dray::rest
