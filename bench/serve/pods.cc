// SPDX-License-Identifier: Apache-2.0
// The main task at full speed: pods with a claim each, from a template, on simulated nodes of eight
// devices (100 nodes by default). First a pod for every device, created as fast as four connections
// can, until all are bound; then, on a fresh server, ten pods a second for twenty seconds. A pod is
// bound when a watch shows its node.
//
//   pods_bench DRAY PROFILE DRIVER [NODES]
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/world.h"
#include "bench/samples.h"
#include "bench/serve/requests.h"
#include "bench/serve/server_process.h"
#include "net/client/http_client.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr size_t kNodes = 100;
constexpr size_t kDevicesPerNode = 8;
constexpr size_t kConnections = 4;
constexpr size_t kPodsPaced = 200;
constexpr milliseconds kPace{100};
constexpr milliseconds kPatience{120'000};

struct Setup {
  std::string program, profile, driver;
  size_t nodes = kNodes;
  std::vector<std::string> flags = {};  // more flags for dray serve
};

std::vector<std::string> FlagsOf(const Setup& setup) {
  std::vector<std::string> flags{"--nodes", fmt::format("{}={}", setup.profile, setup.nodes)};
  flags.insert(flags.end(), setup.flags.begin(), setup.flags.end());
  return flags;
}

size_t Count(std::string_view text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

/// Waits for the nodes and their slices, then creates the class and the template.
void Prepare(net::client::HttpClient& client, const Setup& setup) {
  const auto until = RealWorld().clock.Monotonic() + kPatience;
  const auto there = [&](const char* target, std::string_view word) {
    return Count(bench::Send(client, {.target = target}), word) >= setup.nodes;
  };
  const std::string driver = fmt::format(R"("driver":"{}")", setup.driver);
  while (!there("/api/v1/nodes", R"("kubeletVersion")") ||
         !there("/apis/resource.k8s.io/v1/resourceslices", driver)) {
    if (RealWorld().clock.Monotonic() > until) bench::Die("the simulated nodes do not come up");
    std::this_thread::sleep_for(milliseconds(5));
  }
  bench::Send(
      client,
      {.method = "POST",
       .target = "/apis/resource.k8s.io/v1/deviceclasses",
       .body = fmt::format(
           R"({{"metadata":{{"name":"gpu"}},"spec":{{"selectors":[{{"cel":{{"expression":"device.driver == '{}'"}}}}]}}}})",
           setup.driver)});
  bench::Send(
      client,
      {.method = "POST",
       .target = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
       .body =
           R"({"metadata":{"name":"gpu"},"spec":{"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu"}}]}}}})"});
}

std::string PodBody(size_t number) {
  return fmt::format(
      R"({{"metadata":{{"name":"pod-{}"}},"spec":{{"containers":[{{"name":"main","image":"registry.k8s.io/pause:3.10","resources":{{"claims":[{{"name":"gpu"}}]}}}}],"resourceClaims":[{{"name":"gpu","resourceClaimTemplateName":"gpu"}}]}}}})",
      number);
}

/// When each pod was sent and when a watch showed it bound; nanoseconds of the monotonic clock.
struct Times {
  explicit Times(size_t pods) : sent(pods), bound(pods) {}
  std::vector<std::atomic<int64_t>> sent, bound;
};

/// The times from each create to the watch event, in milliseconds.
bench::Samples WaitsOf(const Times& times) {
  bench::Samples waits;
  for (size_t pod = 0; pod < times.bound.size(); ++pod) {
    waits.Add(bench::Milliseconds(nanoseconds(times.bound[pod] - times.sent[pod])));
  }
  return waits;
}

int64_t Now() {
  return RealWorld().clock.Monotonic().time_since_epoch().count();
}

void Create(net::client::HttpClient& client, Times& times, size_t number) {
  net::client::ClientRequest request{
      .method = "POST", .target = "/api/v1/namespaces/default/pods", .body = PodBody(number)};
  times.sent[number] = Now();
  bench::Send(client, std::move(request));
}

/// Reads events until a node is visible for every pod.
void ReadUntilAllBound(net::client::ResponseStream& stream, Times& times) {
  size_t missing = times.bound.size();
  while (missing > 0) {
    const auto outcome = stream.ReadLine(kPatience);
    if (outcome != net::client::ResponseStream::Outcome::kLine) {
      bench::Die(fmt::format("{} pods are not bound: {}", missing, stream.failure()));
    }
    const std::string_view line = stream.line();
    constexpr std::string_view kName = R"("name":"pod-)";
    const size_t name = line.find(kName);
    if (name == std::string_view::npos || line.find(R"("nodeName":")") == std::string_view::npos) {
      continue;
    }
    size_t number = times.bound.size();
    std::from_chars(line.data() + name + kName.size(), line.data() + line.size(), number);
    if (number >= times.bound.size() || times.bound[number] != 0) continue;
    times.bound[number] = Now();
    --missing;
  }
}

/// Checks that as many devices are allocated as there are pods, none of them twice.
void CheckDevices(net::client::HttpClient& client, size_t pods) {
  const std::string claims =
      bench::Send(client, {.target = "/apis/resource.k8s.io/v1/resourceclaims"});
  constexpr std::string_view kPool = R"("pool":")";
  std::set<std::string_view> given;
  size_t results = 0;
  for (size_t at = claims.find(kPool); at != std::string::npos; at = claims.find(kPool, at + 1)) {
    given.insert(std::string_view(claims).substr(at, claims.find('}', at) - at));
    ++results;
  }
  if (results != pods || given.size() != pods) {
    bench::Die(fmt::format("{} pods have {} results of {} devices", pods, results, given.size()));
  }
}

/// Runs a measurement on a fresh, prepared server with a watch on its pods.
template <class Creation>
void Measure(const Setup& setup, Times& times, Creation create, int64_t& resident_kib) {
  const bench::ScratchFolder folder;
  const bench::ServerProcess server(setup.program, folder.path(), FlagsOf(setup));
  server.AwaitReady();
  net::client::HttpClient client(RealWorld().clock, server.ClientOptions());
  Prepare(client, setup);
  auto stream = client.Open({.target = "/api/v1/namespaces/default/pods?watch=1"});
  if (!stream || (*stream)->status() != 200) bench::Die("the watch does not open");
  std::thread watcher([&] { ReadUntilAllBound(**stream, times); });
  create(server);
  watcher.join();
  CheckDevices(client, times.bound.size());
  resident_kib = server.resident_kib();
}

void AtOnce(const Setup& setup) {
  const size_t pods = setup.nodes * kDevicesPerNode;
  Times times(pods);
  int64_t resident_kib = 0;
  std::atomic<int64_t> created = 0;
  Measure(
      setup,
      times,
      [&](const bench::ServerProcess& server) {
        std::atomic<size_t> next = 0;
        std::vector<std::thread> connections;
        connections.reserve(kConnections);
        for (size_t i = 0; i < kConnections; ++i) {
          connections.emplace_back([&] {
            net::client::HttpClient client(RealWorld().clock, server.ClientOptions());
            for (size_t pod = next++; pod < pods; pod = next++) Create(client, times, pod);
          });
        }
        for (std::thread& connection : connections) connection.join();
        created = Now();
      },
      resident_kib);
  const int64_t begin = *std::ranges::min_element(times.sent);
  const int64_t end = *std::ranges::max_element(times.bound);
  const auto seconds = [&](int64_t until) { return static_cast<double>(until - begin) / 1e9; };
  fmt::print(
      "{} pods at once: created in {:.2f} s, all bound after {:.2f} s: {:.0f} pods/s (bar: at "
      "least 500); create to bound {}; resident {:.1f} MiB\n",
      pods,
      seconds(created),
      seconds(end),
      static_cast<double>(pods) / seconds(end),
      WaitsOf(times).Percentiles("ms", 0),
      static_cast<double>(resident_kib) / 1024);
}

void Paced(const Setup& setup) {
  Times times(kPodsPaced);
  int64_t resident_kib = 0;
  Measure(
      setup,
      times,
      [&](const bench::ServerProcess& server) {
        net::client::HttpClient client(RealWorld().clock, server.ClientOptions());
        const int64_t begin = Now();
        for (size_t pod = 0; pod < kPodsPaced; ++pod) {
          const int64_t due = begin + static_cast<int64_t>(pod) * nanoseconds(kPace).count();
          std::this_thread::sleep_for(nanoseconds(std::max<int64_t>(0, due - Now())));
          Create(client, times, pod);
        }
      },
      resident_kib);
  fmt::print("{} pods, ten a second: create to bound {} (bar: p99 at most 100)\n",
             kPodsPaced,
             WaitsOf(times).Percentiles("ms"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) bench::Die("usage: pods_bench DRAY PROFILE DRIVER [NODES [FLAG OF dray serve…]]");
  Setup setup{.program = argv[1], .profile = argv[2], .driver = argv[3]};
  if (argc >= 5) setup.nodes = bench::NumberIn(argv[4]);
  setup.flags.assign(argv + std::min(argc, 5), argv + argc);
  fmt::print(
      "{} nodes of the profile {} {}\n", setup.nodes, setup.profile, fmt::join(setup.flags, " "));
  AtOnce(setup);
  Paced(setup);
  return 0;
}
