// SPDX-License-Identifier: Apache-2.0
#include "tests/rest/player.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/base64.h"
#include "base/try.h"
#include "base/wakeup.h"
#include "tests/rest/comparison.h"
#include "tests/rest/hook.h"
#include "tests/rest/readable.h"
#include "tests/rest/view.h"
#include "tests/rest/wire.h"
#include "tests/serving/server_child.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/shape.h"

namespace dray::rest {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;
using vectors::ListOf;
using vectors::TextOf;

constexpr milliseconds kEventMax{600'000};  // only ever used up by a bug
constexpr milliseconds kQuiet{500};         // wait for events where none was recorded
constexpr size_t kShownMax = 120;
constexpr milliseconds kBetweenTries{20};
constexpr std::string_view kPutOff = "storage is (re)initializing";
constexpr double kPutOffMax = 600;
// How many times as long as a quiet machine a busy one may take.
constexpr double kSlowest = 20;

const json::object& Member(const json::object& object, std::string_view name) {
  static const json::object kNone;
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_object() ? value->get_object() : kNone;
}

int64_t NumberOf(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

bool IsTrue(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::string ValueAt(const json::value& answer, std::string_view pointer) {
  boost::system::error_code failed;
  const json::value* value = answer.find_pointer(pointer, failed);
  if (value == nullptr) return {};
  return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

/// The recorder read the bytes of headers as Latin-1.
std::string BytesOf(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_two = (byte == 0xc2 || byte == 0xc3) && i + 1 < text.size();
    if (!is_two) {
      bytes += text[i];
      continue;
    }
    const auto next = static_cast<unsigned char>(text[++i]);
    bytes += static_cast<char>((byte & 3U) << 6U | (next & 0x3fU));
  }
  return bytes;
}

std::vector<std::string> WantedValues(const json::value& recorded, const Chosen& chosen) {
  std::vector<std::string> wanted;
  if (recorded.is_string()) return {chosen.Now(BytesOf(recorded.get_string()))};
  for (const json::value& one : recorded.as_array()) {
    wanted.push_back(chosen.Now(BytesOf(one.as_string())));
  }
  std::ranges::sort(wanted);
  return wanted;
}

/// The encoding of a body by its contents, because not every media type names the encoding.
enum class Form : uint8_t { kText, kJson, kYaml, kProtobuf };

Form FormOf(std::string_view body) {
  if (body.starts_with(std::string_view("k8s\0", 4))) return Form::kProtobuf;
  if (body.starts_with("apiVersion:") || body.starts_with("kind:")) return Form::kYaml;
  return FromJson(body) ? Form::kJson : Form::kText;
}

bool IsKeptByClients(std::string_view path) {
  return path.starts_with("/openapi/") || path.starts_with("/api?") || path.starts_with("/apis?");
}

class Player {
 public:
  Player(Disk& disk, const Scenario& scenario, Stop stop, uint16_t port)
      : disk_(disk), scenario_(scenario), stop_(stop), wire_(port) {}

  Result<Played> PlayAll() {
    for (const json::value& step : ListOf(scenario_.document, "steps")) {
      if (stop_ == Stop::kAtDifference && !played_.differences.empty()) break;
      if (const Result<> done = PlayStep(step.as_object()); !done) {
        return Fail(done.error().reason, fmt::format("{}: {}", place(), done.error().message));
      }
      ++number_;
    }
    return std::move(played_);
  }

  /// The place of the current step.
  std::string place() const { return fmt::format("/steps/{}", number_); }

 private:
  void Differ(std::string_view what) {
    played_.differences.push_back(fmt::format("step {} {}: {}", number_, asked_, what));
  }

  Result<> PlayStep(const json::object& step) {
    asked_ = TextOf(step, "events");
    if (step.contains("pause_seconds")) {
      Wakeup nobody;
      const json::value& pause = step.at("pause_seconds");
      nobody.WaitFor(std::chrono::duration_cast<milliseconds>(
          std::chrono::duration<double>(vectors::NumberOf(pause))));
      return {};
    }
    if (step.contains("hook")) return StartHook(step);
    if (step.contains("events")) return PlayEvents(step, std::string(TextOf(step, "events")));
    if (step.contains("watch")) return PlayWatch(step, std::string(TextOf(step, "watch")));
    if (step.contains("request")) return PlayUntilEqual(step);
    for (const json::value& exchange : ListOf(step, "exchanges")) {
      DRAY_TRY_VOID(PlayExchange(exchange.as_object(), TextOf(step, "user")));
    }
    return {};
  }

  /// Repeats the requests of kubectl. Its watches are identified by the events they receive. Leaves
  /// out documents that kubectl caches between commands, because it only checked whether they had
  /// changed.
  Result<> PlayExchange(const json::object& exchange, std::string_view user) {
    const std::string_view path = TextOf(Member(exchange, "request"), "path");
    if (path.empty() || IsKeptByClients(path)) return {};
    user_ = user;
    if (!exchange.contains("received")) return PlayRequest(exchange);
    DRAY_TRY_VOID(PlayWatch(exchange, kKubectl));
    return PlayEvents(exchange, kKubectl);
  }

  // ------------------------------------------------------------------------------------- requests

  Result<WireRequest> RequestOf(const json::object& step) {
    const json::object& recorded = Member(step, "request");
    WireRequest request{.method = std::string(TextOf(recorded, "method")),
                        .target = chosen_.Fill(TextOf(recorded, "path")),
                        .headers = {},
                        .body = {}};
    asked_ = fmt::format("{} {}", request.method, request.target.substr(0, kShownMax));
    for (const auto& [name, value] : Member(recorded, "headers")) {
      if (value.is_string()) {
        request.headers.emplace_back(name, chosen_.Fill(value.get_string()));
      } else {
        for (const json::value& one : value.as_array()) {
          request.headers.emplace_back(name, chosen_.Fill(one.as_string()));
        }
      }
    }
    std::string_view user = TextOf(recorded, "user");
    if (!user_.empty()) {
      user = user_;
      request.headers.emplace_back("User-Agent", "kubectl/v1.37.0");
    }
    if (!user.empty()) {
      const json::object& known = Member(Member(scenario_.document, "users"), user);
      request.headers.emplace_back("Authorization",
                                   fmt::format("Bearer {}", TextOf(known, "token")));
    }
    DRAY_TRY(std::optional<RecordedBody> body, BodyOf(disk_, scenario_, recorded));
    if (body && body->is_text) body->bytes = chosen_.Fill(body->bytes);
    if (body && !user_.empty()) body->bytes = chosen_.NowByVersion(body->bytes);
    if (body) request.body = std::move(body->bytes);
    return request;
  }

  /// Repeats a request until its answer is as recorded: for effects that come late, and for a list
  /// that the server refuses for a while because a definition has just changed.
  Result<> PlayUntilEqual(const json::object& step) {
    const json::value* seconds = step.if_contains("eventually_seconds");
    const std::chrono::duration<double> patience(
        seconds == nullptr ? kPutOffMax : kSlowest * vectors::NumberOf(*seconds));
    const MonotonicTime end = RealWorld().clock.Monotonic() +
                              std::chrono::duration_cast<std::chrono::nanoseconds>(patience);
    const Chosen before = chosen_;
    const Played played = played_;
    while (true) {
      DRAY_TRY_VOID(PlayRequest(step));
      const bool is_equal = played_.differences.size() == played.differences.size();
      const bool is_over = RealWorld().clock.Monotonic() >= end;
      const bool is_put_off = !is_equal && played_.differences.back().contains(kPutOff);
      if (is_equal || is_over || (seconds == nullptr && !is_put_off)) return {};
      chosen_ = before;
      played_ = played;
      Wakeup nobody;
      nobody.WaitFor(kBetweenTries);
    }
  }

  Result<> PlayRequest(const json::object& step) {
    ++played_.exchanges;
    DRAY_TRY(const WireRequest request, RequestOf(step));
    (void)calls_.Take();
    const Result<WireAnswer> answer = wire_.Send(request);
    if (!answer) {
      Differ(answer.error().message);
      return {};
    }
    if (!CompareHead(step, *answer)) return {};
    DRAY_TRY_VOID(CompareBody(step, *answer));
    if (step.contains("received")) CompareCalls(step);
    return {};
  }

  // ---------------------------------------------------------------------------------------- hooks

  Result<> StartHook(const json::object& step) {
    const std::string name(TextOf(step, "hook"));
    if (std::unique_ptr<Hook>& replaced = hooks_[name]; replaced != nullptr) {
      replaced->Retire();
      replaced_hooks_.push_back(std::move(replaced));
    }
    DRAY_TRY(hooks_[name], Hook::Start(disk_, scenario_.folder + "/tls", step, calls_));
    const uint16_t port = hooks_[name]->port();
    const int64_t recorded = NumberOf(step, "port");
    chosen_.Bind(name + "_port", std::to_string(recorded), std::to_string(port));
    for (const std::string_view host : {"127.0.0.1", "localhost"}) {
      chosen_.Bind(fmt::format("{}_at_{}", name, host),
                   fmt::format("{}:{}", host, recorded),
                   fmt::format("{}:{}", host, port));
    }
    return {};
  }

  // What hooks were asked during the request; validating hooks are asked at once.
  void CompareCalls(const json::object& step) {
    std::vector<HookCall> calls = calls_.Take();
    if (IsTrue(step, "received_free")) return;
    const json::array& recorded = ListOf(step, "received");
    if (calls.size() != recorded.size()) {
      return Differ(fmt::format("{} calls of hooks, expected {}", calls.size(), recorded.size()));
    }
    const auto is_at_once = [](const HookCall& call) { return call.target.starts_with("/v"); };
    for (auto begin = calls.begin(); begin != calls.end();) {
      begin = std::find_if(begin, calls.end(), is_at_once);
      const auto end = std::find_if_not(begin, calls.end(), is_at_once);
      std::ranges::sort(begin, end, {}, &HookCall::target);
      begin = end;
    }
    for (size_t i = 0; i < calls.size(); ++i) CompareCall(recorded[i].as_object(), calls[i]);
  }

  void CompareCall(const json::object& recorded, const HookCall& call) {
    const json::object& headers = Member(recorded, "headers");
    const bool is_same = call.method == TextOf(recorded, "method") &&
                         call.target == TextOf(recorded, "path") &&
                         call.content_type == TextOf(headers, "Content-Type") &&
                         call.accept == TextOf(headers, "Accept");
    if (!is_same) Differ(fmt::format("a hook was asked {} {}", call.method, call.target));
    Compare(recorded, std::string(TextOf(recorded, "body")), call.body, nullptr);
  }

  Result<> PlayWatch(const json::object& step, const std::string& name) {
    ++played_.exchanges;
    DRAY_TRY(const WireRequest request, RequestOf(step));
    Result<WireWatch> watch = wire_.Watch(request);
    if (!watch) {
      Differ(watch.error().message);
      return {};
    }
    const bool is_same = CompareHead(step, watch->answer);
    streams_[name] = std::move(watch->stream);
    if (streams_[name] != nullptr || !is_same) return {};
    return CompareBody(step, watch->answer);
  }

  // -------------------------------------------------------------------------------------- answers

  void Bind(const json::object& step, const json::value& answer, const net::Headers* headers) {
    constexpr std::string_view kHeader = "header:";
    for (const auto& [variable, described] : Member(step, "bind")) {
      const json::object& bind = described.as_object();
      const std::string_view from = TextOf(bind, "from");
      const std::string now = headers != nullptr && from.starts_with(kHeader)
                                  ? std::string(headers->Get(from.substr(kHeader.size())))
                                  : ValueAt(answer, from);
      if (now.empty()) Differ(fmt::format("no {} for ${{{}}}", from, std::string_view(variable)));
      chosen_.Bind(std::string(variable), std::string(TextOf(bind, "value")), now);
    }
  }

  bool CompareHead(const json::object& step, const WireAnswer& answer) {
    const json::object& recorded = Member(step, "response");
    if (answer.status != NumberOf(recorded, "status")) {
      Differ(fmt::format("status {}, expected {}: {}",
                         answer.status,
                         NumberOf(recorded, "status"),
                         answer.body.substr(0, 2 * kShownMax)));
      return false;
    }
    for (const auto& [name, value] : Member(recorded, "headers")) {
      bool is_free = false;
      for (const json::value& one : ListOf(step, "volatile_headers")) {
        is_free = is_free || one == json::value(name);
      }
      if (is_free) continue;
      std::vector<std::string> got;
      for (const std::string_view one : answer.headers.All(name)) got.emplace_back(one);
      std::ranges::sort(got);
      const std::vector<std::string> wanted = WantedValues(value, chosen_);
      if (got != wanted) {
        Differ(fmt::format("header {}: '{}', expected '{}'",
                           std::string_view(name),
                           fmt::join(got, "', '"),
                           fmt::join(wanted, "', '")));
      }
    }
    return true;
  }

  Result<> CompareBody(const json::object& step, const WireAnswer& answer) {
    DRAY_TRY(const std::optional<RecordedBody> recorded,
             BodyOf(disk_, scenario_, Member(step, "response")));
    if (!recorded) {
      if (!answer.body.empty()) Differ("a body: " + answer.body.substr(0, kShownMax));
      Bind(step, {}, &answer.headers);
      return {};
    }
    Compare(step, recorded->bytes, answer.body, &answer.headers);
    return {};
  }

  static Result<json::value> Read(Form form, std::string_view bytes) {
    if (form == Form::kProtobuf) return FromProtobuf(bytes);
    if (form == Form::kYaml) return FromYaml(bytes);
    return FromJson(bytes);
  }

  void Compare(const json::object& entry,
               const std::string& recorded,
               const std::string& got,
               const net::Headers* headers) {
    const Form form = FormOf(recorded);
    if (form == Form::kText) {
      const bool is_openapi = TextOf(Member(Member(entry, "response"), "headers"), "Content-Type")
                                  .contains("proto-openapi");
      Bind(entry, {}, headers);
      if (is_openapi ? got.empty() : got != chosen_.Now(recorded)) {
        Differ(fmt::format("'{}', expected '{}'",
                           got.substr(0, 2 * kShownMax),
                           recorded.substr(0, 2 * kShownMax)));
      }
      return;
    }
    const Result<json::value> before = Read(form, recorded);
    const Result<json::value> now = Read(form, got);
    if (!before || !now) {
      Differ(fmt::format("cannot be read: {}", (before ? now : before).error().message));
      return;
    }
    Bind(entry, *now, headers);
    json::value wanted = *before;
    json::value found = *now;
    // The recording does not say it of YAML and protobuf: the order of resources is chance
    // upstream.
    static const json::object kResources = {{"unordered", json::array{"/resources", "/message/2"}}};
    const json::value* kind =
        before->is_object() ? before->get_object().if_contains("kind") : nullptr;
    const bool is_resources = kind != nullptr && *kind == "APIResourceList" && form != Form::kJson;
    for (json::value* answer : {&wanted, &found}) {
      KeepOnly(entry, *answer);
      SortUnordered(entry, *answer);
      if (is_resources) SortUnordered(kResources, *answer);
    }
    CompareRead(entry, form, wanted, found);
  }

  void CompareRead(const json::object& entry,
                   Form form,
                   const json::value& before,
                   const json::value& now) {
    Freedom freedom = Freedom::Of(entry);
    freedom.marks_nothing = form != Form::kJson || !user_.empty();
    const Result<json::value> expected = FromJson(chosen_.Now(json::serialize(before)));
    if (!expected) return Differ(expected.error().message);
    for (const std::string& difference : Differences(*expected, now, freedom)) Differ(difference);
    for (const std::string& difference : VersionDifferences(before, now, freedom, chosen_)) {
      Differ(difference);
    }
  }

  // --------------------------------------------------------------------------------------- events

  static bool IsOptional(std::string_view event) {
    return event.contains(R"("type":"BOOKMARK")") && !event.contains("initial-events-end");
  }

  std::vector<std::string> Receive(const json::object& step, WireStream& stream, size_t count) {
    const bool until_end = IsTrue(step, "until_end");
    const bool none = count == 0 && !until_end;
    const MonotonicTime deadline = RealWorld().clock.Monotonic() + (none ? kQuiet : kEventMax);
    std::vector<std::string> received;
    while (until_end || none || received.size() < count) {
      const auto left = std::chrono::ceil<milliseconds>(deadline - RealWorld().clock.Monotonic());
      if (left <= milliseconds(0)) break;
      std::optional<std::string> event = stream.Next(left);
      if (!event) break;
      if (!IsOptional(*event)) received.push_back(*std::move(event));
    }
    return received;
  }

  Result<> PlayEvents(const json::object& step, const std::string& name) {
    WireStream* const stream = streams_[name].get();
    if (stream == nullptr) {
      Differ("no such watch");
      return {};
    }
    std::vector<const json::object*> recorded;
    for (const json::value& event : ListOf(step, "received")) {
      if (!IsTrue(event.as_object(), "optional")) recorded.push_back(&event.as_object());
    }
    const std::vector<std::string> received = Receive(step, *stream, recorded.size());
    if (received.size() != recorded.size()) {
      Differ(fmt::format("{} events, expected {}: {}",
                         received.size(),
                         recorded.size(),
                         received.empty() ? "" : received.back().substr(0, 2 * kShownMax)));
    }
    CompareEvents(step, recorded, received);
    if (IsTrue(step, "until_end") && IsTrue(step, "ended") != stream->ended()) {
      Differ("the watch did not end");
    }
    return {};
  }

  void CompareEvents(const json::object& step,
                     const std::vector<const json::object*>& recorded,
                     const std::vector<std::string>& received) {
    played_.exchanges += recorded.size();
    json::array all;
    for (const std::string& event : received) {
      Result<json::value> read = FromJson(event);
      if (!read) read = FromProtobufFrame(event);
      all.push_back(read ? *std::move(read) : json::value());
    }
    Bind(step, all, nullptr);
    for (size_t i = 0; i < std::min(recorded.size(), all.size()); ++i) {
      const json::object& entry = *recorded[i];
      const bool is_frame = entry.contains("frame_base64");
      const Result<json::value> before =
          is_frame ? FromProtobufFrame(DecodeBase64(TextOf(entry, "frame_base64")).value_or(""))
                   : FromJson(TextOf(entry, "line"));
      if (!before) {
        Differ(before.error().message);
        continue;
      }
      CompareRead(entry, is_frame ? Form::kProtobuf : Form::kJson, *before, all[i]);
    }
  }

  static constexpr const char* kKubectl = "kubectl";

  Disk& disk_;
  const Scenario& scenario_;
  const Stop stop_;
  Wire wire_;
  Chosen chosen_;
  std::map<std::string, std::unique_ptr<WireStream>> streams_;
  HookCalls calls_;
  std::map<std::string, std::unique_ptr<Hook>> hooks_;
  std::vector<std::unique_ptr<Hook>> replaced_hooks_;  // connections to them are still open
  Played played_;
  size_t number_ = 0;  // of the step
  std::string user_;   // of a command of kubectl; empty elsewhere
  std::string asked_;  // the request of this step, for messages
};

}  // namespace

Result<Played> Play(Disk& disk,
                    const Scenario& scenario,
                    const std::string& program,
                    const std::string& folder,
                    Stop stop) {
  serving::ServerChild server(program, folder, ServerOptions(scenario), TokenLines(scenario));
  if (const Result<> started = server.Start(); !started) {
    return Fail(StatusReason::kServiceUnavailable, started.error().message);
  }
  Player player(disk, scenario, stop, server.port());
  // JSON that no check foresaw, of the scenario or of the server, ends this scenario and no other.
  try {
    return player.PlayAll();
  } catch (const std::exception& unforeseen) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{}: {}", player.place(), unforeseen.what()));
  }
}

}  // namespace dray::rest
