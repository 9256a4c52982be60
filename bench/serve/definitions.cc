// SPDX-License-Identifier: Apache-2.0
// What definitions of custom kinds and admission webhooks cost a server: how long it takes to start
// with many definitions on its disk, what each of them keeps in memory, how long a client waits for
// fifty new ones to be in discovery, and what a webhook on loopback adds to a write.
//
//   definitions_bench DRAY [--definitions N] [FLAG...]     flags of dray serve
//
// What requests for objects of a custom kind cost is a question for writes_bench --custom.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/world.h"
#include "bench/samples.h"
#include "bench/serve/admitting_hook.h"
#include "bench/serve/gadgets.h"
#include "bench/serve/requests.h"
#include "bench/serve/server_process.h"
#include "net/client/http_client.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

constexpr size_t kStarts = 20;
constexpr size_t kNew = 50;
constexpr size_t kNewRuns = 5;
constexpr size_t kRounds = 20;
constexpr size_t kWrites = 200;  // of one round
constexpr double kStartBarMs = 60;
constexpr double kMemoryBarKib = 60;
constexpr double kNewBarMs = 300;
constexpr double kHookBarUs = 60;
constexpr std::string_view kHooks =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

struct Setup {
  std::string program;
  size_t definitions = 200;
  std::vector<std::string> flags{"--components", "apiserver"};
};

net::client::HttpClient ClientOf(const bench::ServerProcess& server) {
  return {RealWorld().clock, server.ClientOptions()};
}

/// Polls discovery until it has the kind.
void AwaitDiscovered(net::client::HttpClient& client, size_t number) {
  const net::client::ClientRequest request{
      .target = fmt::format("/apis/{}/v1", bench::GadgetGroup(number))};
  for (;;) {
    const auto answer = client.Send(request);
    if (!answer) bench::Die(answer.error().message);
    if (answer->status == 200 && answer->body.contains(R"("kind":"Gadget")")) return;
  }
}

/// As envtest's CreateCRDs: each definition is looked for and created, then all are awaited.
void Define(net::client::HttpClient& client, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const std::string path =
        fmt::format("{}/gadgets.{}", bench::kDefinitions, bench::GadgetGroup(i));
    const auto found = client.Send({.target = path});
    if (!found || found->status != 404) bench::Die("a definition is there already");
    bench::Send(client,
                {.method = "POST",
                 .target = std::string(bench::kDefinitions),
                 .body = bench::GadgetDefinition(i)});
  }
  for (size_t i = 0; i < count; ++i) AwaitDiscovered(client, i);
}

/// Waits until the server uses less than a fiftieth of a CPU, and returns its resident memory.
double KibAtRest(const bench::ServerProcess& server) {
  for (double before = server.cpu_seconds();;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const double now = server.cpu_seconds();
    if (now - before < 0.02) return static_cast<double>(server.resident_kib());
    before = now;
  }
}

/// The times of starts: until the server is ready, and its CPU until then.
struct Starts {
  bench::Samples ready_ms, cpu_ms;

  std::string Text() const {
    return fmt::format("{}, {} of CPU", ready_ms.Median("ms"), cpu_ms.Median("ms"));
  }
};

void Start(const Setup& setup, const std::string& folder, size_t definitions, Starts& starts) {
  const bench::ServerProcess server(setup.program, folder, setup.flags);
  starts.ready_ms.Add(bench::Milliseconds(server.AwaitReady() - server.started()));
  starts.cpu_ms.Add(server.cpu_seconds() * 1000);
  if (definitions == 0) return;
  net::client::HttpClient client = ClientOf(server);
  bench::Send(client,
              {.target = bench::GadgetPath(definitions - 1)});  // ready means all are served
}

void PrintMemory(std::string_view what, double kib, const Setup& setup) {
  fmt::print("memory, {:<34} {:6.1f} KiB each (bar: {})\n",
             what,
             kib / static_cast<double>(setup.definitions),
             kMemoryBarKib);
}

/// What the definitions keep, as they are made and when each has an object.
void MeasureMemory(const Setup& setup, const std::string& folder) {
  const bench::ServerProcess server(setup.program, folder, setup.flags);
  server.AwaitReady();
  net::client::HttpClient client = ClientOf(server);
  const double empty = KibAtRest(server);
  Define(client, setup.definitions);
  PrintMemory("made one by one", KibAtRest(server) - empty, setup);
  for (size_t i = 0; i < setup.definitions; ++i) {
    bench::Send(
        client,
        {.method = "POST", .target = bench::GadgetPath(i), .body = bench::GadgetBody(i, "one")});
  }
  PrintMemory("each with an object", KibAtRest(server) - empty, setup);
}

double RestOfANewServer(const Setup& setup, const std::string& folder) {
  const bench::ServerProcess server(setup.program, folder, setup.flags);
  server.AwaitReady();
  return KibAtRest(server);
}

void StartsAndMemory(const Setup& setup) {
  const bench::ScratchFolder with, without;
  MeasureMemory(setup, with.path());
  RestOfANewServer(setup, without.path());  // it writes what a new store needs
  PrintMemory("after a start",
              RestOfANewServer(setup, with.path()) - RestOfANewServer(setup, without.path()),
              setup);
  Starts starts, bare_starts;
  for (size_t run = 0; run < kStarts; ++run) {
    Start(setup, without.path(), 0, bare_starts);
    Start(setup, with.path(), setup.definitions, starts);
  }
  fmt::print("start, {} definitions on the disk: {} (bar: {}), without: {}\n",
             setup.definitions,
             starts.Text(),
             kStartBarMs,
             bare_starts.Text());
}

void NewDefinitions(const Setup& setup) {
  bench::Samples ms, cpu_ms;
  for (size_t run = 0; run < kNewRuns; ++run) {
    const bench::ScratchFolder folder;
    const bench::ServerProcess server(setup.program, folder.path(), setup.flags);
    server.AwaitReady();
    net::client::HttpClient client = ClientOf(server);
    const double cpu_before = server.cpu_seconds();
    const MonotonicTime begin = RealWorld().clock.Monotonic();
    Define(client, kNew);
    ms.Add(bench::Milliseconds(RealWorld().clock.Monotonic() - begin));
    cpu_ms.Add((server.cpu_seconds() - cpu_before) * 1000);
  }
  fmt::print("{} definitions made and in discovery: {}, {} of the server's CPU (bar: {})\n",
             kNew,
             ms.Median("ms", 0),
             cpu_ms.Median("ms", 0),
             kNewBarMs);
}

/// Creates ConfigMaps in a dry run; returns the server's CPU time for one in microseconds.
double WriteCost(const bench::ServerProcess& server, net::client::HttpClient& client) {
  const double before = server.cpu_seconds();
  for (size_t i = 0; i < kWrites; ++i) {
    bench::Send(client,
                {.method = "POST",
                 .target = "/api/v1/namespaces/default/configmaps?dryRun=All",
                 .body = fmt::format(R"({{"metadata":{{"name":"c{}"}},"data":{{"a":"b"}}}})", i)});
  }
  return (server.cpu_seconds() - before) * 1e6 / static_cast<double>(kWrites);
}

void Webhook(const Setup& setup) {
  const bench::AdmittingHook hook;
  const bench::ScratchFolder folder;
  const bench::ServerProcess server(setup.program, folder.path(), setup.flags);
  server.AwaitReady();
  net::client::HttpClient client = ClientOf(server);
  bench::Samples without, with;
  for (size_t round = 0; round < kRounds; ++round) {
    without.Add(WriteCost(server, client));
    bench::Send(
        client,
        {.method = "POST", .target = std::string(kHooks), .body = hook.Configuration("admits")});
    (void)WriteCost(server, client);  // connects
    with.Add(WriteCost(server, client));
    bench::Send(client, {.method = "DELETE", .target = fmt::format("{}/admits", kHooks)});
  }
  fmt::print(
      "a webhook on loopback adds {:.1f} us of CPU to a write (bar: {}): {:.1f} with, {:.1f} "
      "without, the best of {} rounds; medians {:.1f} and {:.1f}\n",
      with.min() - without.min(),
      kHookBarUs,
      with.min(),
      without.min(),
      kRounds,
      with.median(),
      without.median());
}

Setup Read(int argc, char** argv) {
  if (argc < 2) bench::Die("usage: definitions_bench DRAY [--definitions N] [FLAG...]");
  Setup setup{.program = argv[1]};
  for (int at = 2; at < argc; ++at) {
    if (std::string_view(argv[at]) == "--definitions" && at + 1 < argc) {
      setup.definitions = bench::NumberIn(argv[++at]);
    } else {
      setup.flags.emplace_back(argv[at]);
    }
  }
  return setup;
}

}  // namespace

int main(int argc, char** argv) {
  const Setup setup = Read(argc, argv);
  fmt::print("definitions of {} bytes\n", bench::GadgetDefinition(0).size());
  StartsAndMemory(setup);
  NewDefinitions(setup);
  bench::UseOneCpu();
  Webhook(setup);
  return 0;
}
