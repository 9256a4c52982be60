// SPDX-License-Identifier: Apache-2.0
// The main task at full speed: pods with a claim each, from a template, on simulated nodes of eight
// devices (100 nodes by default). First a pod for every device, created as fast as four connections
// can, until all are bound; then, on a fresh server, ten pods a second for twenty seconds. A pod is
// bound when a watch shows its node.
//
//   pods_bench DRAY PROFILE DRIVER [NODES [FLAG OF dray serve…]]
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/world.h"
#include "bench/serve/pod_load.h"
#include "bench/serve/requests.h"
#include "bench/serve/server_process.h"
#include "net/client/http_client.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

constexpr size_t kNodes = 100;
constexpr size_t kPodsPaced = 200;
constexpr std::chrono::milliseconds kPace{100};
constexpr const char* kPrefix = "pod";

/// Runs a measurement on a fresh, prepared server with a watch on its pods. Returns its resident
/// memory, KiB.
template <class Creation>
int64_t Measure(const bench::PodLoad& load, bench::PodTimes& times, Creation create) {
  const bench::ScratchFolder folder;
  const bench::ServerProcess server(load.program, folder.path(), load.Flags());
  server.AwaitReady();
  net::client::HttpClient client(RealWorld().clock, server.ClientOptions());
  bench::PreparePods(client, load);
  auto stream = client.Open({.target = "/api/v1/namespaces/default/pods?watch=1"});
  if (!stream || (*stream)->status() != 200) bench::Die("the watch does not open");
  std::thread watcher([&] { bench::ReadUntilAllBound(**stream, kPrefix, times); });
  create(server);
  watcher.join();
  bench::CheckDevices(client, times.bound.size());
  return server.resident_kib();
}

void AtOnce(const bench::PodLoad& load) {
  const size_t pods = load.nodes * bench::kDevicesPerNode;
  bench::PodTimes times(pods);
  int64_t created = 0;
  const int64_t resident_kib = Measure(load, times, [&](const bench::ServerProcess& server) {
    bench::CreatePods(server, kPrefix, times);
    created = bench::Now();
  });
  const int64_t begin = *std::ranges::min_element(times.sent);
  fmt::print(
      "{} pods at once: created in {:.2f} s, all bound after {:.2f} s: {:.0f} pods/s (bar: at "
      "least 500); create to bound {}; resident {:.1f} MiB\n",
      pods,
      static_cast<double>(created - begin) / 1e9,
      times.Seconds(),
      static_cast<double>(pods) / times.Seconds(),
      times.Waits().Percentiles("ms", 0),
      static_cast<double>(resident_kib) / 1024);
}

void Paced(const bench::PodLoad& load) {
  bench::PodTimes times(kPodsPaced);
  Measure(load, times, [&](const bench::ServerProcess& server) {
    bench::CreatePodsPaced(server, kPrefix, times, kPace);
  });
  fmt::print("{} pods, ten a second: create to bound {} (bar: p99 at most 100)\n",
             kPodsPaced,
             times.Waits().Percentiles("ms"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) bench::Die("usage: pods_bench DRAY PROFILE DRIVER [NODES [FLAG OF dray serve…]]");
  bench::PodLoad load{.program = argv[1], .profile = argv[2], .driver = argv[3], .nodes = kNodes};
  if (argc >= 5) load.nodes = bench::NumberIn(argv[4]);
  load.flags.assign(argv + std::min(argc, 5), argv + argc);
  fmt::print(
      "{} nodes of the profile {} {}\n", load.nodes, load.profile, fmt::join(load.flags, " "));
  AtOnce(load);
  Paced(load);
  return 0;
}
