// SPDX-License-Identifier: Apache-2.0
#include "bench/scheduler_perf/player.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "api/codec/tree_json.h"
#include "api/codec/yaml.h"
#include "api/kind.h"
#include "base/bounded_queue.h"
#include "base/try.h"
#include "base/world.h"
#include "bench/scheduler_perf/claim_allocation.h"
#include "bench/scheduler_perf/template_text.h"
#include "bench/serve/requests.h"
#include "bench/serve/server_process.h"
#include "client/http_client.h"
#include "net/client/http_client.h"

namespace dray::bench {
namespace {

using api::Tree;
using Clock = std::chrono::steady_clock;

constexpr size_t kCreators = 8;
constexpr std::chrono::seconds kPatience{120};
constexpr std::string_view kPods = "/api/v1/namespaces/{}/pods";
// What an operation that names no template creates.
constexpr std::string_view kNode = R"(
apiVersion: v1
kind: Node
metadata: {generateName: scheduler-perf-}
status:
  capacity: {pods: "110", cpu: "4", memory: 32Gi}
  conditions: [{type: Ready, status: "True"}]
)";

/// Objects of one template.
struct Series {
  std::string yaml;
  Tree parameters;
  std::string namespace_;
  size_t count = 1;
};

/// An object as a request that creates it.
struct Creation {
  std::string target, body;
};

Result<Creation> CreationOf(const Series& series, size_t index) {
  Tree values = series.parameters;
  values.Set("Index", Tree(static_cast<int64_t>(index)));
  values.Set("Count", Tree(static_cast<int64_t>(series.count)));
  DRAY_TRY(const std::string yaml, Render(series.yaml, values));
  DRAY_TRY(api::YamlDocument document, api::YamlToJson(yaml));
  DRAY_TRY(const Tree object, api::ReadTree(document.json));
  const auto text = [&](std::string_view name) {
    const Tree* const found = object.Find(name);
    return found != nullptr && found->is_text() ? found->text() : std::string_view();
  };
  static const api::Scheme kScheme;
  const api::KindInfo* const kind = kScheme.FindKind(text("apiVersion"), text("kind"));
  if (kind == nullptr) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("no kind {} of {}", text("kind"), text("apiVersion")));
  }
  const std::string in =
      kind->namespaced
          ? fmt::format("/namespaces/{}", series.namespace_.empty() ? "default" : series.namespace_)
          : "";
  return Creation{.target = fmt::format("{}/{}{}/{}",
                                        kind->group.empty() ? "/api" : "/apis",
                                        kind->api_version,
                                        in,
                                        kind->plural),
                  .body = std::move(document.json)};
}

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Creates all of them, with some clients side by side.
Result<> CreateAll(const ServerProcess& server, const std::vector<Creation>& creations) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> creators;
  creators.reserve(kCreators);
  for (size_t i = 0; i < std::min(kCreators, creations.size()); ++i) {
    creators.emplace_back([&] {
      net::client::HttpClient client(RealWorld().clock, server.ClientOptions());
      for (size_t at = next++; at < creations.size(); at = next++) {
        Send(client,
             {.method = "POST", .target = creations[at].target, .body = creations[at].body});
      }
    });
  }
  return {};
}

/// Pods of a namespace that have a node, in the order in which a watch shows them.
class BoundPods {
 public:
  BoundPods(const ServerProcess& server, const std::string& namespace_)
      : client_(RealWorld().clock, server.ClientOptions()) {
    auto stream =
        client_.Open({.target = fmt::format(fmt::runtime(kPods), namespace_) +
                                "?watch=1&resourceVersion=0&fieldSelector=spec.nodeName%21%3D"});
    if (!stream || (*stream)->status() != 200) Die("the watch does not open");
    stream_ = *std::move(stream);
  }

  /// The name of the next; nothing when none comes until `until`.
  std::optional<std::string> Next(Clock::time_point until) {
    using Outcome = net::client::ResponseStream::Outcome;
    while (true) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
      if (left.count() <= 0) return std::nullopt;
      const Outcome outcome = stream_->ReadLine(left);
      if (outcome == Outcome::kTimeout) return std::nullopt;
      if (outcome != Outcome::kLine) Die(fmt::format("the watch ended: {}", stream_->failure()));
      const std::string_view line = stream_->line();
      constexpr std::string_view kName = R"("metadata":{"name":")";
      const size_t name = line.find(kName);
      if (!line.starts_with(R"({"type":"ADDED")") || name == std::string_view::npos) continue;
      const std::string_view rest = line.substr(name + kName.size());
      return std::string(rest.substr(0, rest.find('"')));
    }
  }

 private:
  net::client::HttpClient client_;
  std::unique_ptr<net::client::ResponseStream> stream_;
};

/// A workload under way.
class Player {
 public:
  Player(const std::string& program,
         const std::vector<std::string>& flags,
         const TestCase& test,
         const Workload& workload)
      : test_(test),
        workload_(workload),
        server_(program, folder_.path(), FlagsOf(workload, flags)),
        client_(RealWorld().clock, server_.ClientOptions()) {}

  Result<Played> Play() {
    server_.AwaitReady();
    for (const Tree& op : test_.ops) {
      Result<> done = Perform(op);
      if (done.has_value()) continue;
      return Fail(done.error().reason,
                  fmt::format("{}: {}", op.Find("opcode")->text(), done.error().message));
    }
    return played_;
  }

  static bool Knows(std::string_view opcode) {
    return std::ranges::any_of(kOperations, [&](const auto& one) { return one.first == opcode; });
  }

 private:
  using Operation = Result<> (Player::*)(const Tree& op);

  static std::vector<std::string> FlagsOf(const Workload& workload,
                                          const std::vector<std::string>& more) {
    std::vector<std::string> flags{"--components=apiserver,scheduler,controllers",
                                   "--feature-gates=" + ToText(workload.gates)};
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  }

  Result<> Perform(const Tree& op) {
    const std::string_view opcode = op.Find("opcode")->text();
    const auto known =
        std::ranges::find_if(kOperations, [&](const auto& one) { return one.first == opcode; });
    return (this->*known->second)(op);
  }

  // Operations.

  Result<> CreateNodes(const Tree& op) {
    DRAY_TRY(const Series series, SeriesOf(op, "nodeTemplatePath", kNode));
    return Create(series);
  }

  Result<> CreateAny(const Tree& op) {
    DRAY_TRY(const Series series, SeriesOf(op, "templatePath", {}));
    return Create(series);
  }

  Result<> CreatePods(const Tree& op) {
    DRAY_TRY(const Series series, SeriesOf(op, "podTemplatePath", {}));
    DRAY_TRY(const Tree steadily, ParameterOf(op, "steadyState", workload_));
    const Tree* const collects = op.Find("collectMetrics");
    const bool is_measured = collects != nullptr && collects->is_bool() && collects->boolean();
    const bool is_steady = steadily.is_bool() && steadily.boolean();
    EnsureNamespace(series.namespace_);
    if (is_measured) Begin();
    size_t bound = 0;
    if (is_steady) {
      DRAY_TRY(const Tree duration, ParameterOf(op, "duration", workload_));
      DRAY_TRY(bound, BindSteadily(series, SecondsIn(duration)));
    } else {
      DRAY_TRY(bound, BindAll(series));
    }
    if (is_measured) End(bound);
    return {};
  }

  Result<> AllocateAll(const Tree& op) {
    const net::client::HttpClientOptions at = server_.ClientOptions();
    DRAY_TRY(const auto client,
             client::HttpClient::Create(
                 RealWorld().clock,
                 {.server = fmt::format("http://{}:{}", at.server.host, at.server.port),
                  .token = at.bearer_token}));
    const Tree* const in = op.Find("namespace");
    return AllocateClaims(*client, in == nullptr ? "" : std::string(in->text()), workload_.gates);
  }

  Result<> StartCollecting(const Tree& /*op*/) {
    Begin();
    return {};
  }

  Result<> StopCollecting(const Tree& /*op*/) {
    // What was created is known when nothing is left to do.
    for (double before = server_.cpu_seconds();;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const double now = server_.cpu_seconds();
      if (now - before < 0.02) break;
      before = now;
    }
    End(created_);
    return {};
  }

  static constexpr std::pair<std::string_view, Operation> kOperations[] = {
      {"createNodes", &Player::CreateNodes},
      {"createAny", &Player::CreateAny},
      {"createPodGroups", &Player::CreateAny},
      {"createPods", &Player::CreatePods},
      {"allocResourceClaims", &Player::AllocateAll},
      {"startCollectingMetrics", &Player::StartCollecting},
      {"stopCollectingMetrics", &Player::StopCollecting},
  };

  // Parts of operations.

  Result<Series> SeriesOf(const Tree& op, std::string_view path, std::string_view otherwise) {
    Series series{.yaml = std::string(otherwise)};
    if (const Tree* const file = op.Find(path)) {
      DRAY_TRY(series.yaml,
               RealWorld().disk.Read(fmt::format("{}/{}", test_.folder, file->text())));
    }
    if (series.yaml.empty()) {
      return Fail(StatusReason::kBadRequest, fmt::format("it has no {}", path));
    }
    DRAY_TRY(series.parameters, TemplateParametersOf(op, workload_));
    DRAY_TRY(const Tree count, ParameterOf(op, "count", workload_));
    if (count.is_integer())
      series.count = static_cast<size_t>(std::max<int64_t>(0, count.integer()));
    if (const Tree* const in = op.Find("namespace")) series.namespace_ = in->text();
    return series;
  }

  Result<std::vector<Creation>> CreationsOf(const Series& series) const {
    std::vector<Creation> creations;
    creations.reserve(series.count);
    for (size_t index = 0; index < series.count; ++index) {
      DRAY_TRY(Creation one, CreationOf(series, index));
      creations.push_back(std::move(one));
    }
    return creations;
  }

  Result<> Create(const Series& series) {
    EnsureNamespace(series.namespace_);
    created_ += series.count;
    DRAY_TRY(const std::vector<Creation> creations, CreationsOf(series));
    return CreateAll(server_, creations);
  }

  Result<size_t> BindAll(const Series& series) {
    DRAY_TRY(const std::vector<Creation> creations, CreationsOf(series));
    BoundPods bound(server_, series.namespace_);
    if (begun_.has_value()) Begin();  // templates do not count
    std::jthread creator([&] { (void)CreateAll(server_, creations); });
    for (size_t pods = 0; pods < series.count; ++pods) {
      if (bound.Next(Clock::now() + kPatience).has_value()) continue;
      Die(fmt::format("{} of {} pods are bound", pods, series.count));
    }
    return series.count;
  }

  /// Each pod that is bound is deleted, and another created.
  Result<size_t> BindSteadily(const Series& series, double seconds) {
    BoundPods bound(server_, series.namespace_);
    BoundedQueue<std::string> gone(series.count + 1);
    DRAY_TRY(const std::vector<Creation> first, CreationsOf(series));
    if (first.empty()) return Fail(StatusReason::kBadRequest, "no pods are to be there at once");
    if (begun_.has_value()) Begin();
    DRAY_TRY_VOID(CreateAll(server_, first));
    std::atomic<size_t> next = series.count;
    std::vector<std::jthread> replacers;
    for (size_t i = 0; i < kCreators; ++i) {
      replacers.emplace_back([&] {
        net::client::HttpClient client(RealWorld().clock, server_.ClientOptions());
        while (const std::optional<std::string> pod = gone.Pop())
          Replace(client, series, *pod, next);
      });
    }
    const Clock::time_point until =
        Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
    size_t pods = 0;
    while (const std::optional<std::string> pod = bound.Next(until)) {
      ++pods;
      if (!gone.TryPush(*pod)) Die("pods are bound faster than they are deleted");
    }
    gone.Close();
    return pods;
  }

  static void Replace(net::client::HttpClient& client,
                      const Series& series,
                      const std::string& pod,
                      std::atomic<size_t>& next) {
    const Result<Creation> creation = CreationOf(series, next++);
    if (!creation) Die(creation.error().message);
    Send(client,
         {.method = "DELETE",
          .target = fmt::format("{}/{}?gracePeriodSeconds=0", creation->target, pod)});
    Send(client, {.method = "POST", .target = creation->target, .body = creation->body});
  }

  void EnsureNamespace(const std::string& name) {
    if (name.empty() || name == "default" || !namespaces_.insert(name).second) return;
    Send(client_,
         {.method = "POST",
          .target = "/api/v1/namespaces",
          .body = fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name)});
  }

  /// "10s".
  static double SecondsIn(const Tree& duration) {
    return duration.is_text() ? static_cast<double>(NumberIn(duration.text())) : 0;
  }

  void Begin() {
    begun_ = Clock::now();
    cpu_before_ = server_.cpu_seconds();
    created_ = 0;
  }

  void End(size_t objects) {
    if (!begun_.has_value()) return;
    played_ = {.objects = objects,
               .seconds = SecondsSince(*begun_),
               .cpu_seconds = server_.cpu_seconds() - cpu_before_};
    begun_.reset();
  }

  const TestCase& test_;
  const Workload& workload_;
  const ScratchFolder folder_;
  const ServerProcess server_;
  net::client::HttpClient client_;
  std::set<std::string> namespaces_;
  Played played_;
  std::optional<Clock::time_point> begun_;
  double cpu_before_ = 0;
  size_t created_ = 0;  // objects that are no pods, since the clock began
};

}  // namespace

Result<> CheckOperations(const TestCase& test) {
  for (const Tree& op : test.ops) {
    const Tree* const opcode = op.Find("opcode");
    const std::string_view name =
        opcode != nullptr && opcode->is_text() ? opcode->text() : std::string_view();
    if (Player::Knows(name)) continue;
    return Fail(StatusReason::kBadRequest,
                fmt::format("{}: the operation \"{}\" is not known", test.name, name));
  }
  return {};
}

Result<Played> Play(const std::string& program,
                    const std::vector<std::string>& flags,
                    const TestCase& test,
                    const Workload& workload) {
  return Player(program, flags, test, workload).Play();
}

}  // namespace dray::bench
