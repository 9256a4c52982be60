// SPDX-License-Identifier: Apache-2.0
// Resident memory of `dray serve` for each node, ResourceSlice, and pod with its claim: 8 devices a
// node with 20 attributes each, and pods that are bound and run. Then what the server takes after a
// restart, and while many clients list all claims at once.
//
//   memory_bench DRAY [--everything] [NODES [PODS [FLAG of dray serve...]]]
//
// The same objects go to servers with some of the components, so the difference between two lines
// is what a component keeps; --everything: only the server with all of them. A server without a
// scheduler gets pods that no node runs, and their claims, made by this program.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/world.h"
#include "bench/serve/requests.h"
#include "bench/serve/server_process.h"
#include "net/client/http_client.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue
using namespace std::literals;

constexpr size_t kNodes = 1000;
constexpr size_t kDevicesPerNode = 8;
constexpr size_t kConnections = 4;
constexpr size_t kListers = 100;
constexpr size_t kSample = 500;  // objects whose JSON is looked at
constexpr std::chrono::minutes kPatience{20};
// The bar of the whole: a base, and a share of the JSON of slices and claims.
constexpr double kBaseMib = 60;
constexpr double kPerJsonByte = 1.5;
constexpr std::string_view kSlices = "/apis/resource.k8s.io/v1/resourceslices";
constexpr std::string_view kAllClaims = "/apis/resource.k8s.io/v1/resourceclaims";

struct Setup {
  std::string program;
  size_t nodes = kNodes;
  size_t pods = 4 * kNodes;
  std::vector<std::string> flags = {};  // more flags for dray serve
};

std::string NodeBody(size_t number) {
  return fmt::format(
      R"({{"metadata":{{"name":"node-{0:05}","labels":{{"kubernetes.io/arch":"amd64","kubernetes.io/os":"linux",)"
      R"("kubernetes.io/hostname":"node-{0:05}","node.kubernetes.io/instance-type":"gpu-8x","topology.kubernetes.io/region":"r1",)"
      R"("topology.kubernetes.io/zone":"r1-{1}"}}}},"spec":{{"providerID":"cloud://node-{0:05}"}},)"
      R"("status":{{"capacity":{{"cpu":"96","memory":"1024Gi","pods":"110","ephemeral-storage":"2Ti"}},)"
      R"("allocatable":{{"cpu":"94","memory":"1000Gi","pods":"110","ephemeral-storage":"2Ti"}},)"
      R"("conditions":[{{"type":"Ready","status":"True","reason":"KubeletReady","message":"kubelet is posting ready status"}},)"
      R"({{"type":"MemoryPressure","status":"False","reason":"KubeletHasSufficientMemory","message":"kubelet has sufficient memory available"}},)"
      R"({{"type":"DiskPressure","status":"False","reason":"KubeletHasNoDiskPressure","message":"kubelet has no disk pressure"}},)"
      R"({{"type":"PIDPressure","status":"False","reason":"KubeletHasSufficientPID","message":"kubelet has sufficient PID available"}}],)"
      R"("addresses":[{{"type":"InternalIP","address":"10.{2}.{3}.1"}},{{"type":"Hostname","address":"node-{0:05}"}}],)"
      R"("nodeInfo":{{"machineID":"{0:032x}","systemUUID":"{0:032x}","bootID":"{0:032x}","kernelVersion":"6.8.0-1021",)"
      R"("osImage":"Debian GNU/Linux 12","containerRuntimeVersion":"containerd://1.7.22","kubeletVersion":"v1.37.0",)"
      R"("kubeProxyVersion":"","operatingSystem":"linux","architecture":"amd64"}}}}}})",
      number,
      number % 3,
      number / 250 % 250,
      number % 250);
}

/// Twenty attributes, as drivers publish them: most are shared by all devices, some by none.
std::string DeviceBody(size_t node, size_t device) {
  std::string attributes = fmt::format(
      R"("uuid":{{"string":"GPU-{0:08x}-{1:04x}-4b7c-9d1e-1c2d3e4f5a6b"}},"serial":{{"string":"16537{0:05}{1:02}"}},)"
      R"("minor":{{"int":{1}}},"index":{{"int":{1}}},"pciBusID":{{"string":"0000:{1:02x}:00.0"}},)"
      R"("resource.kubernetes.io/pcieRoot":{{"string":"pci0000:{2:02x}"}},"numaNode":{{"int":{3}}},)"
      R"("type":{{"string":"gpu"}},"productName":{{"string":"NVIDIA A100-SXM4-40GB"}},"brand":{{"string":"Nvidia"}},)"
      R"("architecture":{{"string":"Ampere"}},"cudaComputeCapability":{{"version":"8.0.0"}},)"
      R"("cudaDriverVersion":{{"version":"12.4.0"}},"driverVersion":{{"version":"550.54.15"}},)"
      R"("eccEnabled":{{"bool":true}},"migCapable":{{"bool":true}},"migEnabled":{{"bool":false}},)"
      R"("persistenceMode":{{"bool":true}},"computeMode":{{"string":"Default"}},"nvlinkDomain":{{"string":"domain-{0:05}"}})",
      node,
      device,
      device / 2,
      device / 4);
  return fmt::format(
      R"({{"name":"gpu-{}","attributes":{{{}}},"capacity":{{"memory":{{"value":"40Gi"}}}}}})",
      device,
      attributes);
}

std::string SliceBody(size_t node) {
  std::string devices;
  for (size_t device = 0; device < kDevicesPerNode; ++device) {
    if (device > 0) devices += ',';
    devices += DeviceBody(node, device);
  }
  return fmt::format(
      R"({{"metadata":{{"name":"node-{0:05}-gpu.example.com"}},"spec":{{"driver":"gpu.example.com","nodeName":"node-{0:05}",)"
      R"("pool":{{"name":"node-{0:05}","generation":1,"resourceSliceCount":1}},"devices":[{1}]}}}})",
      node,
      devices);
}

std::string PodBody(size_t number, bool with_template) {
  return fmt::format(
      R"({{"metadata":{{"name":"pod-{0:06}","labels":{{"app":"train"}}}},"spec":{{"containers":[{{"name":"main",)"
      R"("image":"registry.k8s.io/pause:3.10","resources":{{"requests":{{"cpu":"1"}},"claims":[{{"name":"gpu"}}]}}}}],)"
      R"("resourceClaims":[{{"name":"gpu",{1}}}]}}}})",
      number,
      with_template ? R"("resourceClaimTemplateName":"gpu")"
                    : fmt::format(R"("resourceClaimName":"claim-{:06}")", number));
}

/// Sends `count` requests to `target` over some connections at once.
template <class BodyOf>
void PostAll(const bench::ServerProcess& server,
             std::string_view target,
             size_t count,
             BodyOf body_of) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> connections;
  connections.reserve(kConnections);
  for (size_t i = 0; i < kConnections; ++i) {
    connections.emplace_back([&] {
      net::client::HttpClient client(RealWorld().clock, server.ClientOptions());
      for (size_t number = next++; number < count; number = next++) {
        bench::Send(client,
                    {.method = "POST", .target = std::string(target), .body = body_of(number)});
      }
    });
  }
}

/// The bytes of JSON of one object, by the first ones of a list.
double JsonBytes(net::client::HttpClient& client, std::string_view target, size_t objects) {
  const size_t sample = std::min<size_t>(objects, kSample);
  const std::string page =
      bench::Send(client, {.target = fmt::format("{}?limit={}", target, sample)});
  return static_cast<double>(page.size()) / static_cast<double>(sample);
}

/// Waits until the server uses less than a twentieth of a CPU.
void AwaitRest(const bench::ServerProcess& server) {
  for (double before = server.cpu_seconds();;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const double now = server.cpu_seconds();
    if (now - before < 0.05) return;
    before = now;
  }
}

/// Reads events until so many pods run. A watch begins with the pods that are there; one that the
/// history of the server has overtaken ends, and the next one begins so.
void AwaitRunning(net::client::HttpClient& client, size_t pods) {
  using Outcome = net::client::ResponseStream::Outcome;
  std::set<std::string> running;
  while (running.size() < pods) {
    auto stream = client.Open(
        {.target = "/api/v1/namespaces/default/pods?watch=1&fieldSelector=status.phase%3DRunning"});
    if (!stream || (*stream)->status() != 200) bench::Die("the watch does not open");
    auto outcome = Outcome::kLine;
    while (running.size() < pods) {
      outcome = (*stream)->ReadLine(kPatience);
      if (outcome != Outcome::kLine) break;
      constexpr std::string_view kName = R"("name":"pod-)";
      const std::string_view line = (*stream)->line();
      const size_t name = line.find(kName);
      if (name != std::string_view::npos) running.emplace(line.substr(name + kName.size(), 6));
    }
    if (outcome != Outcome::kLine && outcome != Outcome::kEnd) {
      bench::Die(fmt::format("{} of {} pods run: {}", running.size(), pods, (*stream)->failure()));
    }
  }
}

double Mib(int64_t kib) {
  return static_cast<double>(kib) / 1024;
}

/// Resident memory after each step, and what the step added for each of its objects.
class Steps {
 public:
  explicit Steps(const bench::ServerProcess& server) : server_(server) {
    AwaitRest(server_);
    resident_kib_ = server_.resident_kib();
    fmt::print("  {:<22} {:8.1f} MiB\n", "nothing", Mib(resident_kib_));
  }

  /// `json_bytes` returns those of one object, and is called when memory was looked at.
  template <class JsonBytesOf>
  void Print(std::string_view what, size_t objects, JsonBytesOf json_bytes) {
    AwaitRest(server_);
    const int64_t before = std::exchange(resident_kib_, server_.resident_kib());
    const double each =
        static_cast<double>(resident_kib_ - before) * 1024 / static_cast<double>(objects);
    const double json = json_bytes();
    fmt::print("  {:<22} {:8.1f} MiB   {:8.0f} B each   {:5.2f} x its JSON of {:.0f} B\n",
               what,
               Mib(resident_kib_),
               each,
               each / json,
               json);
  }

 private:
  const bench::ServerProcess& server_;
  int64_t resident_kib_ = 0;
};

void AddDefinitions(net::client::HttpClient& client) {
  bench::Send(
      client,
      {.method = "POST",
       .target = "/apis/resource.k8s.io/v1/deviceclasses",
       .body =
           R"({"metadata":{"name":"gpu"},"spec":{"selectors":[{"cel":{"expression":"device.driver == 'gpu.example.com'"}}]}})"});
  bench::Send(
      client,
      {.method = "POST",
       .target = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
       .body =
           R"({"metadata":{"name":"gpu"},"spec":{"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu"}}]}}}})"});
}

std::vector<std::string> FlagsOf(const Setup& setup, std::string_view components) {
  std::vector<std::string> flags{fmt::format("--components={}", components)};
  flags.insert(flags.end(), setup.flags.begin(), setup.flags.end());
  return flags;
}

/// Nodes, slices, pods and claims; `generates`: there are components that make the claims, and
/// place and run the pods.
void Fill(const Setup& setup, const bench::ServerProcess& server, bool generates) {
  net::client::HttpClient client(RealWorld().clock, server.ClientOptions());
  AddDefinitions(client);
  Steps steps(server);
  const auto json = [&](std::string_view target, size_t objects) {
    return [&client, target, objects] { return JsonBytes(client, target, objects); };
  };
  PostAll(server, "/api/v1/nodes", setup.nodes, NodeBody);
  steps.Print("nodes", setup.nodes, json("/api/v1/nodes", setup.nodes));
  PostAll(server, kSlices, setup.nodes, SliceBody);
  steps.Print("slices", setup.nodes, json(kSlices, setup.nodes));
  if (!generates) {
    PostAll(server, bench::kClaims, setup.pods, [](size_t number) {
      return bench::ClaimBody(fmt::format("claim-{:06}", number));
    });
    steps.Print("claims", setup.pods, json(kAllClaims, setup.pods));
  }
  PostAll(server, "/api/v1/namespaces/default/pods", setup.pods, [&](size_t number) {
    return PodBody(number, generates);
  });
  if (generates) AwaitRunning(client, setup.pods);
  steps.Print(generates ? "pods with claims" : "pods", setup.pods, [&] {
    return JsonBytes(client, "/api/v1/pods", setup.pods) +
           (generates ? JsonBytes(client, kAllClaims, setup.pods) : 0);
  });
}

/// All clients list all claims at once.
void Storm(const bench::ServerProcess& server) {
  std::vector<std::jthread> listers;
  listers.reserve(kListers);
  for (size_t i = 0; i < kListers; ++i) {
    listers.emplace_back([&] {
      net::client::HttpClient client(RealWorld().clock, server.ClientOptions());
      bench::Send(client, {.target = std::string(kAllClaims)});
    });
  }
}

void PrintPeak(std::string_view what, const bench::ServerProcess& server, double bar_mib) {
  const double peak = Mib(server.peak_resident_kib());
  fmt::print("  {:<22} {:8.1f} MiB, at most {:.1f} MiB (bar: at most {:.0f})\n",
             what,
             Mib(server.resident_kib()),
             peak,
             2 * bar_mib);
}

void Whole(const Setup& setup) {
  const bench::ScratchFolder folder;
  const std::string all = "apiserver,scheduler,controllers,nodes";
  double bar_mib = 0;
  fmt::print("everything\n");
  {
    const bench::ServerProcess server(setup.program, folder.path(), FlagsOf(setup, all));
    server.AwaitReady();
    Fill(setup, server, true);
    net::client::HttpClient client(RealWorld().clock, server.ClientOptions());
    const double json =
        (JsonBytes(client, kSlices, setup.nodes) * static_cast<double>(setup.nodes) +
         JsonBytes(client, kAllClaims, setup.pods) * static_cast<double>(setup.pods)) /
        (1 << 20);
    bar_mib = kBaseMib + kPerJsonByte * json;
    fmt::print("  {:<22} {:8.1f} MiB (bar: at most {:.0f}, by {:.1f} MiB of slices and claims)\n",
               "at rest",
               Mib(server.resident_kib()),
               bar_mib,
               json);
    Storm(server);
    AwaitRest(server);
    PrintPeak("a storm of lists", server, bar_mib);
  }
  if (std::ranges::find(setup.flags, "--memory") != setup.flags.end()) return;
  const bench::ServerProcess again(setup.program, folder.path(), FlagsOf(setup, all));
  again.AwaitReady();
  AwaitRest(again);
  PrintPeak("started again", again, bar_mib);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv + 1, argv + argc);
  const bool is_whole_alone = arguments.size() > 1 && arguments[1] == "--everything"sv;
  if (is_whole_alone) arguments.erase(arguments.begin() + 1);
  if (arguments.empty()) {
    bench::Die("usage: memory_bench DRAY [--everything] [NODES [PODS [FLAG of dray serve…]]]");
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Setup setup{.program = arguments[0]};
  if (arguments.size() > 1) {
    setup.nodes = bench::NumberIn(arguments[1]);
    setup.pods = 4 * setup.nodes;
  }
  if (arguments.size() > 2) setup.pods = bench::NumberIn(arguments[2]);
  if (arguments.size() > 3) setup.flags.assign(arguments.begin() + 3, arguments.end());
  if (setup.pods > setup.nodes * kDevicesPerNode) bench::Die("there are more pods than devices");
  fmt::print("{} nodes of {} devices, {} pods {}\n",
             setup.nodes,
             kDevicesPerNode,
             setup.pods,
             fmt::join(setup.flags, " "));
  for (const std::string_view components :
       {"apiserver", "apiserver,scheduler", "apiserver,controllers"}) {
    if (is_whole_alone) break;
    const bench::ScratchFolder folder;
    const bench::ServerProcess server(setup.program, folder.path(), FlagsOf(setup, components));
    server.AwaitReady();
    fmt::print("{}\n", components);
    Fill(setup, server, false);
  }
  Whole(setup);
  return 0;
}
