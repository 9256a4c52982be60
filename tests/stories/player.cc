// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/player.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "api/kind.h"
#include "base/try.h"
#include "base/world.h"
#include "net/client/http_client.h"
#include "tests/serving/activity.h"
#include "tests/serving/server_child.h"
#include "tests/stories/normal_form.h"
#include "tests/stories/own_components.h"
#include "tests/stories/setting.h"
#include "tests/stories/vocabulary.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/shape.h"

namespace dray::stories {
namespace {

namespace json = boost::json;
using net::client::ResponseStream;
using std::chrono::milliseconds;
using vectors::ListOf;
using vectors::TextOf;

// The step is over when nothing has changed for this long.
constexpr milliseconds kQuiet{1500};
constexpr milliseconds kStepMax{20'000};
// The longest timer of a controller: the one of a rule's status. For those that act on classic
// claims it is a back-off.
constexpr std::chrono::seconds kTimerMax{12};
constexpr std::chrono::seconds kClassicTimerMax{5};
// Before a pod that follows another kind, so that all components have seen the objects created
// before.
constexpr milliseconds kSeen{100};
// A policy that refuses takes a while before it does.
constexpr milliseconds kPolicySeen{500};
// A pod that is not bound so long after the last news will not be.
constexpr milliseconds kBoundMax{10'000};
constexpr milliseconds kLook{4};
// All of these are real time, like the timers of components. They count from the moment when no
// component has work left, because a busy machine takes longer. Only a bug reaches this limit.
constexpr std::chrono::minutes kLastResort{10};

std::string RootOf(std::string_view api_version) {
  return fmt::format("{}/{}", api_version.contains('/') ? "/apis" : "/api", api_version);
}

/// The path of a collection.
std::string PathOf(std::string_view api_version,
                   std::string_view plural,
                   std::string_view namespace_) {
  if (namespace_.empty()) return fmt::format("{}/{}", RootOf(api_version), plural);
  return fmt::format("{}/namespaces/{}/{}", RootOf(api_version), namespace_, plural);
}

/// For sorting versions: stable ones first.
int InstabilityOf(const api::KindInfo& kind) {
  if (kind.version.contains("alpha")) return 2;
  return kind.version.contains("beta") ? 1 : 0;
}

json::object Parsed(std::string_view text) {
  boost::system::error_code failed;
  json::value value = json::parse(text, failed);
  return !failed && value.is_object() ? std::move(value.get_object()) : json::object();
}

int64_t NumberOf(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// `text` with the number in place of every {i}.
std::string Numbered(std::string text, std::string_view number) {
  constexpr std::string_view kPlace = "{i}";
  for (size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace, at)) {
    text.replace(at, kPlace.size(), number);
  }
  return text;
}

/// One story in one cluster.
class Cluster {
 public:
  Cluster(const json::object& story, const std::string& program, const std::string& folder)
      : namespaces_(NamespacesOf(story)),
        default_namespace_(DefaultNamespaceOf(story)),
        kinds_(KindsOf(story)),
        own_(IsClassic(story) ? TextOf(story, "namespace") : ""),
        words_(VocabularyOf(story)),
        uids_(IsClassic(story) ? Uids::kShown : Uids::kLeftOut),
        patience_(IsClassic(story) ? kClassicTimerMax : kTimerMax),
        config_text_(SchedulerConfigOf(story)),
        config_(folder + "/scheduler.yaml"),
        emulation_(EmulationOf(story)),
        has_own_components_(HasOwnComponents(story)),
        thread_name_(fmt::format("story-{}", ::gettid())),
        server_(program, folder, FlagsOf(story, config_)) {
    serving::NameThread(thread_name_.c_str());
  }

  Result<> Start() {
    std::ofstream(config_) << config_text_;
    DRAY_TRY_VOID(server_.Start());
    client_.emplace(
        RealWorld().clock,
        net::client::HttpClientOptions{
            .server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server_.port()},
            .bearer_token = serving::ServerChild::Token()});
    for (const std::string& name : namespaces_) {
      DRAY_TRY_VOID(Ask(
          "POST", "/api/v1/namespaces", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name)));
    }
    for (const Shown& shown : words_.shown) {
      if (shown.in_writes) DRAY_TRY_VOID(Follow(shown));
    }
    return has_own_components_ ? StartComponents() : Result<>();
  }

  Result<StepOutcome> Do(const json::object& step,
                         size_t number,
                         const IsAsRecorded& is_as_recorded) {
    outcome_ = {};
    deed_ = 0;
    for (const json::value& deed : ListOf(step, "do")) {
      if (const Result<> done = DoDeed(deed.as_object()); !done) {
        return Fail(done.error().reason,
                    fmt::format("/steps/{}/do/{}: {}", number, deed_, done.error().message));
      }
      ++deed_;
    }
    const MonotonicTime end = Now() + kLastResort;
    MonotonicTime until = end;
    bool is_equal = false;
    for (bool is_first = true; !is_equal && Now() < until; is_first = false) {
      Rest(kQuiet);
      if (is_first || !arrived_.empty()) until = std::min(end, Now() + patience_);
      SeeAll();
      DRAY_TRY_VOID(TakeSnapshot());
      is_equal = is_as_recorded(number, outcome_);
    }
    if (!is_equal) patience_ = {};  // the next steps start from a different state
    return std::move(outcome_);
  }

 private:
  /// Starts scheduler and controllers outside the server's process, for a story that starts, kills
  /// or refuses components.
  Result<> StartComponents() {
    OwnComponents::Options options{.port = server_.port(), .token = serving::ServerChild::Token()};
    DRAY_TRY(options.emulation, emulation_);
    DRAY_TRY(options.scheduling, scheduler::ReadConfiguration(config_text_));
    DRAY_TRY(options.second_scheduling, scheduler::ReadConfiguration(SecondSchedulerConfig()));
    components_.emplace(std::move(options));
    DRAY_TRY_VOID(components_->Start("kube-controller-manager"));
    return components_->Start("kube-scheduler");
  }

  Result<net::client::ClientResponse> Ask(std::string method,
                                          std::string target,
                                          std::string body,
                                          std::string_view type = "application/json") {
    net::client::ClientRequest request{
        .method = std::move(method), .target = std::move(target), .body = std::move(body)};
    if (!request.body.empty()) request.headers.Add("Content-Type", std::string(type));
    return client_->Send(request);
  }

  Result<> Follow(const Shown& shown) {
    const std::string path = fmt::format("{}/{}", RootOf(shown.api_version), shown.plural);
    const net::client::ClientRequest watch{.target = path + "?watch=true&resourceVersion=1"};
    DRAY_TRY(std::unique_ptr<ResponseStream> stream, client_->Open(watch));
    if (stream->status() == 200) streams_.push_back(std::move(stream));
    return {};
  }

  // ---------------------------------------------------------------------------------------- deeds

  Result<> DoDeed(const json::object& deed) {
    const json::value* repeat = deed.if_contains("repeat");
    if (repeat == nullptr) return DoOne(deed);
    const auto [from, to, width] = RepeatOf(repeat->as_object());
    for (int64_t i = from; i <= to; ++i) {
      const std::string text = Numbered(json::serialize(deed), fmt::format("{:0{}}", i, width));
      DRAY_TRY_VOID(DoOne(Parsed(text)));
    }
    return {};
  }

  Result<> DoOne(const json::object& with_symbols) {
    const json::object deed = Parsed(symbols_.Resolve(json::serialize(with_symbols)));
    const std::string_view op = TextOf(deed, "op");
    if (op == "wait") {
      const std::chrono::duration<double> seconds(vectors::NumberOf(deed.at("seconds")));
      Rest(std::chrono::duration_cast<milliseconds>(seconds), false);
      return {};
    }
    if (op == "create") return Create(deed);
    if (op == "start") return components_->Start(std::string(TextOf(deed, "component")));
    if (op == "kill") {
      components_->Kill(std::string(TextOf(deed, "component")));
      return {};
    }
    if (op == "allow") {
      components_->refusals().Remove(std::string(TextOf(deed, "id")));
      return {};
    }
    if (op == "reject") {
      Rest(kPolicySeen);
      components_->refusals().Add(std::string(TextOf(deed, "id")), RefusalOf(deed));
      return {};
    }
    if (op == "bind") return Bind(deed);
    const std::string path = ObjectOf(deed);
    if (op == "delete") {
      const json::value* grace = deed.if_contains("gracePeriodSeconds");
      return Note(Ask("DELETE",
                      path,
                      grace == nullptr ? ""
                                       : fmt::format(R"({{"gracePeriodSeconds":{}}})",
                                                     json::serialize(*grace))));
    }
    return Note(Ask("PATCH",
                    path + (op == "patchStatus" ? "/status" : ""),
                    json::serialize(deed.at("patch")),
                    TextOf(deed, "patchType") == "strategic"
                        ? "application/strategic-merge-patch+json"
                        : "application/merge-patch+json"));
  }

  /// Binds like a scheduler. The deed need not state that it is about a pod.
  Result<> Bind(const json::object& deed) {
    std::string_view namespace_ = TextOf(deed, "namespace");
    if (namespace_.empty()) namespace_ = default_namespace_;
    const std::string_view name = TextOf(deed, "name");
    const json::object binding = {{"apiVersion", "v1"},
                                  {"kind", "Binding"},
                                  {"metadata", {{"name", name}, {"namespace", namespace_}}},
                                  {"target", {{"kind", "Node"}, {"name", TextOf(deed, "node")}}}};
    return Note(Ask("POST",
                    fmt::format("{}/{}/binding", PathOf("v1", "pods", namespace_), name),
                    json::serialize(binding)));
  }

  static Refusal RefusalOf(const json::object& deed) {
    Refusal refusal{.group = std::string(TextOf(deed, "group")),
                    .resource = std::string(TextOf(deed, "resource")),
                    .operations = {},
                    .user = std::string(TextOf(deed, "user")),
                    .message = std::string(TextOf(deed, "message"))};
    for (const json::value& operation : ListOf(deed, "operations")) {
      refusal.operations.emplace(operation.as_string());
    }
    return refusal;
  }

  /// The version of a kind that a deed names without one: in which the story created an object, or
  /// that the vocabulary has, or the most stable one that is served.
  std::string VersionOf(std::string_view kind) const {
    if (const auto made = versions_.find(kind); made != versions_.end()) return made->second;
    const auto usual = words_.versions.find(kind);
    if (usual != words_.versions.end()) return std::string(usual->second);
    const api::KindInfo* best = nullptr;
    for (const api::KindInfo* one : kinds_) {
      const bool fits = one->served && one->kind == kind;
      if (fits && (best == nullptr || InstabilityOf(*one) < InstabilityOf(*best))) best = one;
    }
    return best == nullptr ? "v1" : std::string(best->api_version);
  }

  std::string ObjectOf(const json::object& deed) const {
    const std::string_view kind = TextOf(deed, "kind");
    const std::string version = VersionOf(kind);
    const auto info = std::ranges::find_if(kinds_, [&](const api::KindInfo* one) {
      return one->api_version == version && one->kind == kind;
    });
    std::string_view namespace_ = TextOf(deed, "namespace");
    if (info != kinds_.end() && (*info)->namespaced && namespace_.empty()) {
      namespace_ = default_namespace_;
    }
    const std::string plural = info == kinds_.end() ? PluralOf(kind) : std::string((*info)->plural);
    return fmt::format("{}/{}", PathOf(version, plural, namespace_), TextOf(deed, "name"));
  }

  Result<> Create(const json::object& deed) {
    const json::object& object = deed.at("object").as_object();
    const json::object& metadata = object.at("metadata").as_object();
    const std::string kind(TextOf(object, "kind"));
    if (kind == "Pod" && !last_kind_.empty() && last_kind_ != "Pod") AwaitSeen();
    last_kind_ = kind;
    versions_[kind] = TextOf(object, "apiVersion");
    const auto answer = Ask("POST",
                            PathOf(versions_[kind], PluralOf(kind), TextOf(metadata, "namespace")) +
                                "?fieldValidation=Strict",
                            json::serialize(object));
    DRAY_TRY_VOID(Note(answer));
    NoteMade(Parsed(answer->body));
    if (TextOf(deed, "pace") == "bound") AwaitBound(std::string(TextOf(metadata, "name")));
    return {};
  }

  void NoteMade(const json::object& made) {
    const json::value* metadata = made.if_contains("metadata");
    if (metadata == nullptr || !metadata->is_object()) return;
    const int64_t revision = NumberOf(TextOf(metadata->get_object(), "resourceVersion"));
    if (revision != 0) made_[PluralOf(TextOf(made, "kind"))] = revision;
  }

  /// Objects created before a pod are in the components' caches before the pod is, as the recorder
  /// ensured. Components of this process report that; those of the server's process are idle.
  void AwaitSeen() {
    Rest(kSeen);
    if (components_) components_->AwaitSeen(made_, kLastResort);
  }

  /// Keeps the answer if the server refused.
  Result<> Note(const Result<net::client::ClientResponse>& answer) {
    if (!answer) return Fail(answer.error());
    Drain();
    if (answer->status < 300) return {};
    const json::object status = Parsed(answer->body);
    const std::string message = symbols_.Put(std::string(TextOf(status, "message")));
    outcome_.answers.push_back({{"deed", deed_},
                                {"status", answer->status},
                                {"reason", TextOf(status, "reason")},
                                {"message", WithoutAddresses(message)}});
    return {};
  }

  // -------------------------------------------------------------------------------------- looking

  static MonotonicTime Now() { return RealWorld().clock.Monotonic(); }

  /// Reads the events that have arrived; returns whether there were any.
  bool Drain(milliseconds patience = milliseconds(0)) {
    bool any = false;
    for (const auto& stream : streams_) {
      while (stream->ReadLine(patience) == ResponseStream::Outcome::kLine) {
        any = true;
        const json::object event = Parsed(stream->line());
        const json::value* object = event.if_contains("object");
        if (object == nullptr || TextOf(event, "type") == "ERROR") continue;
        const json::object& metadata = object->as_object().at("metadata").as_object();
        if (TextOf(metadata, "name") == awaited_) awaited_seen_ = *object;
        arrived_.emplace(NumberOf(TextOf(metadata, "resourceVersion")), event);
      }
    }
    return any;
  }

  /// Waits until no event has arrived for `quiet`, or just for that long; and no process is
  /// working.
  void Rest(milliseconds quiet, bool begins_again = true) {
    const MonotonicTime begun = Now();
    MonotonicTime until = begun + quiet;
    while (Now() < until && Now() < begun + std::max(kStepMax, quiet)) {
      if (Drain(kLook) && begins_again) until = Now() + quiet;
    }
    while (!IsIdle() && Now() < begun + kLastResort) Drain(kLook);
    Drain();
  }

  /// Whether the server is idle, and the components of this process, whose threads have this one's
  /// name.
  bool IsIdle() const {
    return server_.is_idle() && (!components_ || serving::IsIdle(::getpid(), thread_name_));
  }

  void AwaitBound(const std::string& pod) {
    awaited_ = pod;
    const MonotonicTime end = Now() + kLastResort;
    MonotonicTime until = Now() + kBoundMax;
    while (!IsBound(awaited_seen_) && Now() < end) {
      if (Drain(kLook)) until = Now() + kBoundMax;
      if (Now() < until) continue;
      if (IsIdle()) break;
      until = Now() + kBoundMax;
    }
    awaited_.clear();
    awaited_seen_ = nullptr;
  }

  static bool IsBound(const json::value& pod) {
    const json::value* spec = pod.is_object() ? pod.as_object().if_contains("spec") : nullptr;
    return spec != nullptr && spec->as_object().contains("nodeName");
  }

  bool IsOurs(const json::object& object) const {
    return own_.empty() || TextOf(object.at("metadata").as_object(), "namespace") == own_;
  }

  /// Names are known by the claims that have them, and pods refer to those. So the events are
  /// handled in the order of revisions, not in that of the watches.
  void SeeAll() {
    for (const auto& [revision, event] : std::exchange(arrived_, {})) {
      See(TextOf(event, "type"), event.at("object").as_object());
    }
  }

  void See(std::string_view type, const json::object& object) {
    if (!IsOurs(object)) return;
    symbols_.See(object);
    const std::string key = symbols_.Put(fmt::format(
        "{}/{}", TextOf(object, "kind"), TextOf(object.at("metadata").as_object(), "name")));
    json::object now = NormalForm(object, symbols_, uids_);
    if (type == "DELETED") {
      objects_.erase(key);
      outcome_.writes.push_back({.object = key, .what = "deleted"});
      return;
    }
    const auto known = objects_.find(key);
    if (known == objects_.end()) {
      outcome_.writes.push_back({.object = key, .what = "created"});
    } else if (const auto members = MembersChanged(known->second, now); !members.empty()) {
      outcome_.writes.push_back(
          {.object = key, .what = fmt::format("{}", fmt::join(members, " "))});
    }
    objects_[key] = std::move(now);
  }

  Result<> TakeSnapshot() {
    outcome_.snapshot.clear();
    for (const Shown& shown : words_.shown) {
      DRAY_TRY(const net::client::ClientResponse answer,
               Ask("GET", fmt::format("{}/{}", RootOf(shown.api_version), shown.plural), ""));
      if (answer.status != 200) continue;
      const json::object list = Parsed(answer.body);
      std::string kind(TextOf(list, "kind"));
      kind.resize(kind.size() - std::string_view("List").size());
      json::array objects;
      for (const json::value& item : ListOf(list, "items")) {
        if (!IsOurs(item.as_object())) continue;
        json::object object = item.as_object();
        object["kind"] = kind;
        json::object shown_object = NormalForm(object, symbols_, uids_);
        shown_object.erase("kind");
        objects.push_back(std::move(shown_object));
      }
      if (!objects.empty()) outcome_.snapshot[shown.plural] = std::move(objects);
    }
    return TakeEvents();
  }

  Result<> TakeEvents() {
    DRAY_TRY(const net::client::ClientResponse answer, Ask("GET", "/api/v1/events", ""));
    json::array events;
    const json::object list = Parsed(answer.body);
    for (const json::value& item : ListOf(list, "items")) {
      const json::object& event = item.as_object();
      const json::object& about = event.at("involvedObject").as_object();
      const json::value* source = event.if_contains("source");
      std::string_view component = TextOf(event, "reportingComponent");
      if (component.empty() && source != nullptr)
        component = TextOf(source->as_object(), "component");
      events.push_back(
          {{"object",
            symbols_.Put(fmt::format("{}/{}", TextOf(about, "kind"), TextOf(about, "name")))},
           {"type", TextOf(event, "type")},
           {"reason", TextOf(event, "reason")},
           {"message", symbols_.Put(std::string(TextOf(event, "message")))},
           {"component", component}});
    }
    outcome_.snapshot["events"] = std::move(events);
    return {};
  }

  const std::set<std::string> namespaces_;
  const std::string default_namespace_;  // of deeds that name none
  const std::vector<const api::KindInfo*> kinds_;
  const std::string own_;  // the only test that is run; empty: all are
  const Vocabulary words_;
  const Uids uids_;
  std::chrono::seconds patience_;       // with a step that is not as recorded yet
  const std::string_view config_text_;  // of the scheduler
  const std::string config_;            // the file with it
  const Result<server::registry::Emulation> emulation_;
  const bool has_own_components_;
  const std::string thread_name_;  // of this thread, and of those of its components
  serving::ServerChild server_;
  std::optional<OwnComponents> components_;  // goes before the server
  std::optional<net::client::HttpClient> client_;
  std::vector<std::unique_ptr<ResponseStream>> streams_;
  Symbols symbols_;
  std::map<std::string, json::object> objects_;               // as last seen, in normal form
  std::map<std::string, std::string, std::less<>> versions_;  // by kind, as created
  Revisions made_;                                            // the newest of each kind
  std::multimap<int64_t, json::object> arrived_;              // events of this step, by revision
  std::string awaited_;                                       // a pod
  json::value awaited_seen_;
  std::string last_kind_;
  StepOutcome outcome_;  // of the step that runs
  int64_t deed_ = 0;     // the one that is done
};

}  // namespace

Result<std::vector<StepOutcome>> Play(const json::object& story,
                                      const std::string& program,
                                      const std::string& folder,
                                      const IsAsRecorded& is_as_recorded) {
  if (const auto emulation = EmulationOf(story); !emulation) {
    return Fail(StatusReason::kBadRequest, "/gates: " + emulation.error().message);
  }
  std::vector<StepOutcome> outcomes;
  // JSON that no check foresaw, of the story or of the server, ends this story and no other.
  try {
    Cluster cluster(story, program, folder);
    if (const Result<> started = cluster.Start(); !started) {
      return Fail(StatusReason::kServiceUnavailable, started.error().message);
    }
    for (const json::value& step : ListOf(story, "steps")) {
      DRAY_TRY(StepOutcome outcome, cluster.Do(step.as_object(), outcomes.size(), is_as_recorded));
      outcomes.push_back(std::move(outcome));
    }
  } catch (const std::exception& unforeseen) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("/steps/{}: {}", outcomes.size(), unforeseen.what()));
  }
  return outcomes;
}

}  // namespace dray::stories
