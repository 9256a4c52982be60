// SPDX-License-Identifier: Apache-2.0
// The cost of the check that a device is in one allocation only: status patches that allocate, in
// turns on a server that checks them and on one that does not (--allow-overlapping-allocations).
//
//   allocations_bench DRAY [FLAG...]     flags of dray serve, e.g. --memory
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/world.h"
#include "bench/samples.h"
#include "bench/serve/requests.h"
#include "bench/serve/server_process.h"
#include "net/client/http_client.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

constexpr size_t kNodes = 100;
constexpr size_t kDevicesPerNode = 8;
constexpr size_t kWarmUp = 100;
constexpr size_t kPatches = 1000;
constexpr double kBar = 1.05;

/// A server, and a client with one connection to it.
class Side {
 public:
  Side(const std::string& program, const std::vector<std::string>& flags)
      : process_(program, folder_.path(), flags),
        client_(RealWorld().clock, process_.ClientOptions()) {
    process_.AwaitReady();
    for (size_t i = 0; i < kNodes; ++i) MakeSlice(i);
    // All devices but one are taken; the claim `last` takes that one and releases it.
    for (size_t i = 0; i + 1 < kNodes * kDevicesPerNode; ++i) {
      MakeClaim(fmt::format("c{}", i));
      Patch(fmt::format("c{}", i), AllocationOf(i));
    }
    MakeClaim("last");
  }

  /// The time of one allocation, in microseconds.
  double Allocate() {
    const MonotonicTime begin = RealWorld().clock.Monotonic();
    Patch("last", AllocationOf(kNodes * kDevicesPerNode - 1));
    const auto took = RealWorld().clock.Monotonic() - begin;
    Patch("last", "null");
    return std::chrono::duration<double, std::micro>(took).count();
  }

 private:
  static std::string AllocationOf(size_t device) {
    return fmt::format(
        R"({{"devices":{{"results":[{{"request":"gpu","driver":"gpu.example.com","pool":"n{}","device":"gpu-{}"}}]}}}})",
        device / kDevicesPerNode,
        device % kDevicesPerNode);
  }

  void MakeSlice(size_t node) {
    std::string devices;
    for (size_t i = 0; i < kDevicesPerNode; ++i) {
      devices += fmt::format(R"({}{{"name":"gpu-{}"}})", i == 0 ? "" : ",", i);
    }
    bench::Send(client_,
                {.method = "POST",
                 .target = "/apis/resource.k8s.io/v1/resourceslices",
                 .body = fmt::format(
                     R"({{"metadata":{{"name":"n{0}"}},"spec":{{"driver":"gpu.example.com",)"
                     R"("nodeName":"n{0}","pool":{{"name":"n{0}","generation":1,)"
                     R"("resourceSliceCount":1}},"devices":[{1}]}}}})",
                     node,
                     devices)});
  }

  void MakeClaim(const std::string& name) {
    bench::Send(
        client_,
        {.method = "POST", .target = std::string(bench::kClaims), .body = bench::ClaimBody(name)});
  }

  void Patch(const std::string& claim, const std::string& allocation) {
    bench::Send(client_,
                {.method = "PATCH",
                 .target = fmt::format("{}/{}/status", bench::kClaims, claim),
                 .body = fmt::format(R"({{"status":{{"allocation":{}}}}})", allocation)},
                bench::kMergePatch);
  }

  bench::ScratchFolder folder_;
  bench::ServerProcess process_;
  net::client::HttpClient client_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) bench::Die("usage: allocations_bench DRAY [FLAG...]");
  std::vector<std::string> flags(argv + 2, argv + argc);
  flags.insert(flags.end(), {"--components", "apiserver"});
  Side judged(argv[1], flags);
  flags.emplace_back("--allow-overlapping-allocations");
  Side unjudged(argv[1], flags);
  bench::Samples with, without;
  for (size_t i = 0; i < kWarmUp + kPatches; ++i) {
    // In turns, so that other load of the machine affects both.
    const double first = i % 2 == 0 ? judged.Allocate() : unjudged.Allocate();
    const double second = i % 2 == 0 ? unjudged.Allocate() : judged.Allocate();
    if (i < kWarmUp) continue;
    with.Add(i % 2 == 0 ? first : second);
    without.Add(i % 2 == 0 ? second : first);
  }
  const double ratio = with.median() / without.median();
  fmt::print(
      "a status patch that allocates, {} of {} devices taken: {} judged, {} not: "
      "{:.3f} x (bar: {})\n",
      kNodes * kDevicesPerNode - 1,
      kNodes * kDevicesPerNode,
      with.Median("us"),
      without.Median("us"),
      ratio,
      kBar);
  return 0;
}
