// SPDX-License-Identifier: Apache-2.0
// Thousands of watches on HTTP/2 streams over TLS, as client-go opens them. Measures whether a
// watch falls behind, and the server's cost of an event for one of them.
//
//   watchers_bench DRAY [--watchers N] [--rate N] [--seconds N] [FLAG...]
//
// Three measurements in a row. First each watch is for one name, like a kubelet's of its node, and
// an event is for one of them. Then each is for the pods of one node, and an event is a new pod of
// one. Then all watch a whole collection, and an event is for all. Every watcher must
// get its events in order and completely. Lateness counts from just before the write is sent. FLAG:
// of dray serve. The clients' CPU time is that of this program.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include "base/world.h"
#include "bench/samples.h"
#include "bench/serve/http2_client.h"
#include "bench/serve/requests.h"
#include "bench/serve/server_process.h"
#include "net/client/http_client.h"
#include "net/tls/context.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

constexpr size_t kWatchesPerConnection = 250;
constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
// A later watcher has fallen behind: at a hundred events a second it is a hundred events late.
constexpr double kLateMax = 1000;  // ms
// Fails if the writes take longer than planned, because that would relieve the watchers.
constexpr double kSlowMax = 1.1;
constexpr std::chrono::seconds kPatience{120};

struct Arguments {
  std::string program;
  size_t watchers = 10'000;
  size_t rate = 100;  // events per second
  size_t seconds = 5;
  std::vector<std::string> flags = {"--components", "apiserver"};

  size_t events() const { return rate * seconds; }
};

/// The time of each event's write. Shared by the writer and the reader.
class Writes {
 public:
  explicit Writes(size_t events) : at_(events) {}
  size_t size() const { return at_.size(); }
  void Note(size_t event) { at_[event].store(Now()); }
  double LatenessOf(size_t event, int64_t now) const {
    return static_cast<double>(now - at_[event].load()) / 1e6;
  }
  static int64_t Now() { return RealWorld().clock.Monotonic().time_since_epoch().count(); }

 private:
  std::vector<std::atomic<int64_t>> at_;
};

/// The totals of all watchers.
struct Seen {
  size_t open = 0;          // streams with the start of an answer
  size_t delivered = 0;     // events
  size_t wrong = 0;         // out of order, missing, or an error
  bench::Samples lateness;  // ms
};

/// One connection and its watches.
class Watchers final : public bench::Http2Events {
 public:
  Watchers(uint16_t port, const net::tls::ClientContext& context, const Writes& writes, Seen& seen)
      : connection_(port, context, *this), writes_(writes), seen_(seen) {}

  /// Events of the watch count from `first`.
  void Watch(const std::string& path, const std::string& token, size_t first) {
    const int32_t stream = connection_.Ask(
        "GET", path, {{"authorization", "Bearer " + token}, {"accept", std::string(bench::kJson)}});
    streams_.resize(static_cast<size_t>(stream) / 2 + 1);
    streams_.back().next = first;
  }
  void Pump() {
    now_ = Writes::Now();
    connection_.Pump();
  }
  int descriptor() const { return connection_.descriptor(); }

  void OnField(int32_t /*stream*/, std::string_view name, std::string_view value) override {
    if (name != ":status") return;
    if (value != "200") bench::Die(fmt::format("a watch was answered {}", value));
    ++seen_.open;
  }
  void OnBytes(int32_t stream, std::string_view bytes) override {
    One& one = streams_[static_cast<size_t>(stream) / 2];
    while (!bytes.empty()) {
      const size_t end = bytes.find('\n');
      if (end == std::string_view::npos) {
        one.part += bytes;
        return;
      }
      if (one.part.empty()) {
        OnLine(one, bytes.substr(0, end));
      } else {
        one.part += bytes.substr(0, end);
        OnLine(one, one.part);
        one.part.clear();
      }
      bytes.remove_prefix(end + 1);
    }
  }
  void OnEnd(int32_t /*stream*/) override { bench::Die("a watch has ended"); }

 private:
  struct One {
    size_t next = 0;
    std::string part = {};  // an incomplete line
  };

  void OnLine(One& one, std::string_view line) {
    constexpr std::string_view kMark = R"("event":")";
    const size_t at = line.rfind(kMark);
    size_t event = 0;
    if (at != std::string_view::npos) {
      std::from_chars(line.data() + at + kMark.size(), line.data() + line.size(), event);
    }
    if (at == std::string_view::npos || event != one.next || event >= writes_.size()) {
      ++seen_.wrong;
      return;
    }
    one.next = event + 1;
    ++seen_.delivered;
    seen_.lateness.Add(writes_.LatenessOf(event, now_));
  }

  bench::Http2Connection connection_;
  const Writes& writes_;
  Seen& seen_;
  std::vector<One> streams_;
  int64_t now_ = 0;
};

double OwnCpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

enum class Question : uint8_t { kOwn, kNode, kAll };

std::string_view NameOf(Question question) {
  switch (question) {
    case Question::kOwn: return "each of a name of its own";
    case Question::kNode: return "each of the pods of a node";
    case Question::kAll: return "all of one collection";
  }
  return "";
}

class Measurement {
 public:
  Measurement(const Arguments& arguments, Question question)
      : arguments_(arguments),
        question_(question),
        process_(arguments.program, folder_.path(), arguments.flags),
        client_(RealWorld().clock, process_.ClientOptions()),
        writes_(question == Question::kAll ? arguments.events()
                                           : std::min(arguments.events(), arguments.watchers)) {
    process_.AwaitReady();
    if (question == Question::kAll) Create("all", "none");
    const std::string list = bench::Send(client_, {.target = std::string(kMaps)});
    constexpr std::string_view kMark = R"("resourceVersion":")";
    const size_t at = list.find(kMark) + kMark.size();
    version_ = list.substr(at, list.find('"', at) - at);
  }

  void Run() {
    const int64_t before_kib = process_.resident_kib();
    Open();
    const int64_t open_kib = process_.resident_kib();
    process_.CountInstructions();
    const double server_cpu = process_.cpu_seconds();
    const double own_cpu = OwnCpuSeconds();
    const MonotonicTime begun = RealWorld().clock.Monotonic();
    std::thread writer([this] { WriteAll(); });
    Read([this] { return seen_.delivered + seen_.wrong >= expected(); });
    writer.join();
    const auto took = RealWorld().clock.Monotonic() - begun;
    Print(bench::Milliseconds(took) / 1000,
          process_.cpu_seconds() - server_cpu,
          OwnCpuSeconds() - own_cpu);
    const auto watchers = static_cast<double>(arguments_.watchers);
    fmt::print("  memory: {:.1f} MiB resident, {:.1f} KiB a watch; {:.1f} MiB after the events\n",
               static_cast<double>(open_kib) / 1024,
               static_cast<double>(open_kib - before_kib) / watchers,
               static_cast<double>(process_.resident_kib()) / 1024);
  }

 private:
  size_t expected() const {
    return question_ == Question::kAll ? writes_.size() * arguments_.watchers : writes_.size();
  }

  void Open() {
    const auto context = net::tls::ClientContext::Create(
        {.ca_pem = process_.CaPem(), .versions = net::tls::HttpVersions::kHttp2});
    if (!context) bench::Die(context.error().message);
    const std::string token = process_.ClientOptions().bearer_token;
    for (size_t i = 0; i < arguments_.watchers; ++i) {
      if (i % kWatchesPerConnection == 0) {
        connections_.push_back(
            std::make_unique<Watchers>(process_.tls_port(), **context, writes_, seen_));
      }
      connections_.back()->Watch(PathOf(i), token, question_ == Question::kAll ? 0 : i);
    }
    for (const auto& connection : connections_) connection->Pump();
    Read([this] { return seen_.open == arguments_.watchers; });
  }

  std::string PathOf(size_t watch) const {
    std::string path = fmt::format("{}?watch=true&resourceVersion={}",
                                   question_ == Question::kNode ? "/api/v1/pods" : kMaps,
                                   version_);
    if (question_ == Question::kOwn)
      path += fmt::format("&fieldSelector=metadata.name%3Dc-{}", watch);
    if (question_ == Question::kNode)
      path += fmt::format("&fieldSelector=spec.nodeName%3Dn-{}", watch);
    return path;
  }

  template <class Done>
  void Read(Done done) {
    std::vector<pollfd> waits;
    waits.reserve(connections_.size());
    for (const auto& connection : connections_) {
      waits.push_back({.fd = connection->descriptor(), .events = POLLIN, .revents = 0});
    }
    while (!done()) {
      const auto patience = std::chrono::milliseconds(kPatience).count();
      if (poll(waits.data(), waits.size(), static_cast<int>(patience)) <= 0) {
        bench::Die(fmt::format("{} of {} events came", seen_.delivered, expected()));
      }
      for (size_t i = 0; i < waits.size(); ++i) {
        if (waits[i].revents != 0) connections_[i]->Pump();
      }
    }
  }

  void WriteAll() {
    const MonotonicTime begun = RealWorld().clock.Monotonic();
    for (size_t event = 0; event < writes_.size(); ++event) {
      std::this_thread::sleep_until(
          std::chrono::steady_clock::time_point(begun.time_since_epoch()) +
          std::chrono::nanoseconds(std::chrono::seconds(1)) * event / arguments_.rate);
      writes_.Note(event);
      if (question_ == Question::kOwn) {
        Create(fmt::format("c-{}", event), std::to_string(event));
      } else if (question_ == Question::kNode) {
        CreatePod(event);
      } else {
        bench::Send(client_,
                    {.method = "PATCH",
                     .target = fmt::format("{}/all", kMaps),
                     .body = fmt::format(R"({{"data":{{"event":"{}"}}}})", event)},
                    bench::kMergePatch);
      }
    }
    wrote_ = bench::Milliseconds(RealWorld().clock.Monotonic() - begun) / 1000;
  }

  void Create(std::string_view name, std::string_view event) {
    bench::Send(client_,
                {.method = "POST",
                 .target = std::string(kMaps),
                 .body = fmt::format(
                     R"({{"metadata":{{"name":"{}"}},"data":{{"event":"{}"}}}})", name, event)});
  }

  void CreatePod(size_t event) {
    bench::Send(client_,
                {.method = "POST",
                 .target = std::string(kPods),
                 .body = fmt::format(
                     R"({{"metadata":{{"name":"p-{0}","annotations":{{"event":"{0}"}}}},)"
                     R"("spec":{{"nodeName":"n-{0}","containers":[{{"name":"c","image":"i"}}]}}}})",
                     event)});
  }

  void Print(double seconds, double server_cpu, double own_cpu) {
    const auto events = static_cast<double>(seen_.delivered);
    const bool is_at_rate = wrote_ <= kSlowMax * static_cast<double>(writes_.size()) /
                                          static_cast<double>(arguments_.rate);
    const bool is_met = is_at_rate && seen_.wrong == 0 && seen_.delivered == expected() &&
                        seen_.lateness.max() <= kLateMax;
    fmt::print("{} watches, {} on a connection; {}: {} events in {:.2f} s\n",
               arguments_.watchers,
               kWatchesPerConnection,
               NameOf(question_),
               writes_.size(),
               wrote_);
    fmt::print("  delivered {} of {}, {} wrong, {:.0f} a second\n",
               seen_.delivered,
               expected(),
               seen_.wrong,
               events / seconds);
    fmt::print("  late by {} (bar: at {} a second, all, in order, within {} ms: {})\n",
               seen_.lateness.Percentiles("ms"),
               arguments_.rate,
               kLateMax,
               is_met ? "met" : "missed");
    fmt::print(
        "  server: {:.2f} CPU-s, {:.2f} us and {:.0f} instructions an event delivered; clients: "
        "{:.2f} CPU-s\n",
        server_cpu,
        server_cpu * 1e6 / events,
        static_cast<double>(process_.instructions()) / events,
        own_cpu);
  }

  const Arguments& arguments_;
  const Question question_;
  bench::ScratchFolder folder_;
  bench::ServerProcess process_;
  net::client::HttpClient client_;  // for the writer
  std::string version_;
  Writes writes_;
  Seen seen_;
  double wrote_ = 0;
  std::vector<std::unique_ptr<Watchers>> connections_;
};

Arguments Read(const std::vector<std::string>& words) {
  if (words.size() < 2) {
    bench::Die("usage: watchers_bench DRAY [--watchers N] [--rate N] [--seconds N] [FLAG...]");
  }
  Arguments arguments{.program = words[1]};
  for (size_t i = 2; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--watchers" && has_value) {
      arguments.watchers = bench::NumberIn(words[++i]);
    } else if (words[i] == "--rate" && has_value) {
      arguments.rate = bench::NumberIn(words[++i]);
    } else if (words[i] == "--seconds" && has_value) {
      arguments.seconds = bench::NumberIn(words[++i]);
    } else {
      arguments.flags.push_back(words[i]);
    }
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = Read(std::vector<std::string>(argv, argv + argc));
  for (const Question question : {Question::kOwn, Question::kNode, Question::kAll}) {
    Measurement(arguments, question).Run();
  }
  return 0;
}
