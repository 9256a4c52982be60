// SPDX-License-Identifier: Apache-2.0
#include "bench/serve/pod_load.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/world.h"
#include "bench/serve/requests.h"

namespace dray::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kPatience{120'000};

/// How many objects the list at `path` has. 0: none, or it cannot be had yet.
size_t CountAt(net::client::HttpClient& client, std::string_view path) {
  const std::string page = Send(client, {.target = fmt::format("{}?limit=1", path)});
  constexpr std::string_view kRest = R"("remainingItemCount":)";
  const size_t at = page.find(kRest);
  if (at == std::string::npos) return page.find(R"("items":[{)") == std::string::npos ? 0 : 1;
  size_t rest = 0;
  std::from_chars(page.data() + at + kRest.size(), page.data() + page.size(), rest);
  return rest + 1;
}

std::string PodBody(std::string_view name) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}"}},"spec":{{"containers":[{{"name":"main","image":"registry.k8s.io/pause:3.10","resources":{{"claims":[{{"name":"gpu"}}]}}}}],"resourceClaims":[{{"name":"gpu","resourceClaimTemplateName":"gpu"}}]}}}})",
      name);
}

}  // namespace

std::vector<std::string> PodLoad::Flags() const {
  std::vector<std::string> all{"--nodes", fmt::format("{}={}", profile, nodes)};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

Samples PodTimes::Waits() const {
  Samples waits;
  for (size_t pod = 0; pod < bound.size(); ++pod) {
    waits.Add(Milliseconds(nanoseconds(bound[pod] - sent[pod])));
  }
  return waits;
}

double PodTimes::Seconds() const {
  return static_cast<double>(*std::ranges::max_element(bound) - *std::ranges::min_element(sent)) /
         1e9;
}

int64_t Now() {
  return RealWorld().clock.Monotonic().time_since_epoch().count();
}

void PreparePods(net::client::HttpClient& client, const PodLoad& load) {
  const auto until = RealWorld().clock.Monotonic() +
                     std::max(kPatience, milliseconds(static_cast<int64_t>(load.nodes)));
  while (CountAt(client, "/api/v1/nodes") < load.nodes ||
         CountAt(client, "/apis/resource.k8s.io/v1/resourceslices") < load.nodes) {
    if (RealWorld().clock.Monotonic() > until) Die("the simulated nodes do not come up");
    std::this_thread::sleep_for(milliseconds(5));
  }
  Send(
      client,
      {.method = "POST",
       .target = "/apis/resource.k8s.io/v1/deviceclasses",
       .body = fmt::format(
           R"({{"metadata":{{"name":"gpu"}},"spec":{{"selectors":[{{"cel":{{"expression":"device.driver == '{}'"}}}}]}}}})",
           load.driver)});
  Send(
      client,
      {.method = "POST",
       .target = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
       .body =
           R"({"metadata":{"name":"gpu"},"spec":{"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu"}}]}}}})"});
}

void CreatePod(net::client::HttpClient& client,
               const std::string& prefix,
               PodTimes& times,
               size_t number) {
  net::client::ClientRequest request{.method = "POST",
                                     .target = "/api/v1/namespaces/default/pods",
                                     .body = PodBody(fmt::format("{}-{}", prefix, number))};
  times.sent[number] = Now();
  Send(client, std::move(request));
}

void CreatePods(const ServerProcess& server, const std::string& prefix, PodTimes& times) {
  std::atomic<size_t> next = 0;
  std::vector<std::thread> creators;
  creators.reserve(kCreators);
  for (size_t i = 0; i < kCreators; ++i) {
    creators.emplace_back([&] {
      net::client::HttpClient client(RealWorld().clock, server.ClientOptions());
      const size_t pods = times.sent.size();
      for (size_t pod = next++; pod < pods; pod = next++) CreatePod(client, prefix, times, pod);
    });
  }
  for (std::thread& creator : creators) creator.join();
}

void CreatePodsPaced(const ServerProcess& server,
                     const std::string& prefix,
                     PodTimes& times,
                     nanoseconds pace) {
  net::client::HttpClient client(RealWorld().clock, server.ClientOptions());
  const int64_t begin = Now();
  for (size_t pod = 0; pod < times.sent.size(); ++pod) {
    const int64_t due = begin + static_cast<int64_t>(pod) * pace.count();
    std::this_thread::sleep_for(nanoseconds(std::max<int64_t>(0, due - Now())));
    CreatePod(client, prefix, times, pod);
  }
}

void ReadUntilAllBound(net::client::ResponseStream& stream,
                       const std::string& prefix,
                       PodTimes& times) {
  const std::string name_of_one = fmt::format(R"("name":"{}-)", prefix);
  size_t missing = times.bound.size();
  while (missing > 0) {
    const auto outcome = stream.ReadLine(kPatience);
    if (outcome != net::client::ResponseStream::Outcome::kLine) {
      Die(fmt::format("{} pods are not bound: {}", missing, stream.failure()));
    }
    const std::string_view line = stream.line();
    const size_t name = line.find(name_of_one);
    if (name == std::string_view::npos || line.find(R"("nodeName":")") == std::string_view::npos) {
      continue;
    }
    size_t number = times.bound.size();
    std::from_chars(line.data() + name + name_of_one.size(), line.data() + line.size(), number);
    if (number >= times.bound.size() || times.bound[number] != 0) continue;
    times.bound[number] = Now();
    --missing;
  }
}

void CheckDevices(net::client::HttpClient& client, size_t pods) {
  const std::string claims = Send(client, {.target = "/apis/resource.k8s.io/v1/resourceclaims"});
  constexpr std::string_view kPool = R"("pool":")";
  std::set<std::string_view> given;
  size_t results = 0;
  for (size_t at = claims.find(kPool); at != std::string::npos; at = claims.find(kPool, at + 1)) {
    given.insert(std::string_view(claims).substr(at, claims.find('}', at) - at));
    ++results;
  }
  if (results != pods || given.size() != pods) {
    Die(fmt::format("{} pods have {} results of {} devices", pods, results, given.size()));
  }
}

}  // namespace dray::bench
