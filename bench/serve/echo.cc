// SPDX-License-Identifier: Apache-2.0
// The server's cost of a request over HTTP/2 and TLS, compared with the least possible: a bare echo
// over nghttp2 and OpenSSL that sends the same fields and bytes to the same client. Both run in
// turns. Prints CPU time, user and system, and instructions outside of the kernel, of the best
// round each. "max, ms" is the client's longest wait, for one request or the 32, in all rounds.
//
//   echo_bench DRAY [--rounds N] [FLAG...]
//
// One request at a time, and 32 at once on the one connection. FLAG: of dray serve.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/world.h"
#include "bench/serve/http2_client.h"
#include "bench/serve/http2_echo.h"
#include "bench/serve/requests.h"
#include "bench/serve/server_process.h"
#include "net/tls/context.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

constexpr size_t kRounds = 7;
constexpr size_t kRequests = 640;  // of each kind in one round
constexpr size_t kAtOnce = 32;

/// A connection to one of the servers.
class Client final : public bench::Http2Events {
 public:
  Client(uint16_t port, const net::tls::ClientContext& context, std::string token)
      : connection_(port, context, *this), token_(std::move(token)) {}

  /// Creates the claim that Get reads.
  void CreateOne() { Ask("POST", std::string(bench::kClaims), bench::ClaimBody("one")); }
  void Get() { Ask("GET", fmt::format("{}/one", bench::kClaims), ""); }
  void Create() {
    Ask("POST", std::string(bench::kClaims), bench::ClaimBody(fmt::format("claim-{:08}", next_++)));
  }
  void Await() {
    while (open_ > 0) {
      connection_.Pump();
      if (open_ > 0) connection_.Wait();
    }
  }
  /// The last answer.
  const bench::EchoAnswer& answer() const { return answer_; }

  void OnField(int32_t /*stream*/, std::string_view name, std::string_view value) override {
    if (name == ":status") {
      if (!value.starts_with('2')) bench::Die(fmt::format("answered {}", value));
      answer_ = {};
    }
    answer_.fields.emplace_back(name, value);
  }
  void OnBytes(int32_t /*stream*/, std::string_view bytes) override { answer_.body += bytes; }
  void OnEnd(int32_t /*stream*/) override { --open_; }

 private:
  void Ask(std::string_view method, const std::string& path, std::string body) {
    bench::Http2Connection::Fields fields = {{"authorization", "Bearer " + token_},
                                             {"accept", "application/json"}};
    if (!body.empty()) {
      fields.emplace_back("content-type", "application/json");
      fields.emplace_back("content-length", std::to_string(body.size()));
    }
    connection_.Ask(method, path, fields, std::move(body));
    ++open_;
  }

  bench::Http2Connection connection_;
  const std::string token_;
  size_t open_ = 0;
  size_t next_ = 0;
  bench::EchoAnswer answer_;
};

struct Cost {
  double seconds = 0;
  double instructions = 0;
  double slowest_ms = 0;
};

/// One of the servers, and its client.
struct Side {
  Client& client;
  std::function<Cost()> cost;
};

struct Sort {
  std::string name;
  void (Client::*ask)();
  size_t at_once = 1;
  Cost dray{.seconds = 1e9, .instructions = 1e18}, echo = dray;  // the lowest so far
};

void Measure(const Sort& sort, Side& side, Cost& least) {
  const Cost before = side.cost();
  for (size_t i = 0; i < kRequests; i += sort.at_once) {
    const MonotonicTime asked = RealWorld().clock.Monotonic();
    for (size_t j = 0; j < sort.at_once; ++j) (side.client.*sort.ask)();
    side.client.Await();
    const auto took = RealWorld().clock.Monotonic() - asked;
    least.slowest_ms = std::max(least.slowest_ms, bench::Milliseconds(took));
  }
  const Cost after = side.cost();
  constexpr double kCount = kRequests;
  least.seconds = std::min(least.seconds, (after.seconds - before.seconds) / kCount);
  least.instructions =
      std::min(least.instructions, (after.instructions - before.instructions) / kCount);
}

void Print(const Sort& sort) {
  fmt::print("{:<24}{:>10.1f}{:>10.1f}{:>9.2f} x{:>12.1f}{:>10.1f}{:>9.2f} x{:>10.2f}{:>10.2f}\n",
             sort.name,
             sort.dray.seconds * 1e6,
             sort.echo.seconds * 1e6,
             sort.dray.seconds / sort.echo.seconds,
             sort.dray.instructions / 1e3,
             sort.echo.instructions / 1e3,
             sort.dray.instructions / sort.echo.instructions,
             sort.dray.slowest_ms,
             sort.echo.slowest_ms);
}

void Run(const std::string& program, size_t rounds, const std::vector<std::string>& flags) {
  const bench::ScratchFolder folder;
  bench::ServerProcess process(program, folder.path(), flags);
  process.AwaitReady();
  process.CountInstructions();
  const auto context = net::tls::ClientContext::Create(
      {.ca_pem = process.CaPem(), .versions = net::tls::HttpVersions::kHttp2});
  if (!context) bench::Die(context.error().message);
  const std::string token = process.ClientOptions().bearer_token;

  Client to_dray(process.tls_port(), **context, token);
  std::map<std::string, bench::EchoAnswer> answers;
  to_dray.CreateOne();
  to_dray.Await();
  to_dray.Create();
  to_dray.Await();
  answers["POST"] = to_dray.answer();
  to_dray.Get();
  to_dray.Await();
  answers["GET"] = to_dray.answer();

  const bench::Http2Echo echo(process.ServingCredentials(), answers);
  Client to_echo(echo.port(), **context, token);
  Side dray{to_dray, [&] {
              return Cost{.seconds = process.cpu_seconds(),
                          .instructions = static_cast<double>(process.instructions())};
            }};
  Side bare{to_echo, [&] {
              return Cost{.seconds = echo.cpu_seconds(),
                          .instructions = static_cast<double>(echo.instructions())};
            }};
  std::vector<Sort> sorts = {
      {.name = "GET a claim", .ask = &Client::Get},
      {.name = "GET a claim, 32 at once", .ask = &Client::Get, .at_once = kAtOnce},
      {.name = "create a claim", .ask = &Client::Create},
      {.name = "create, 32 at once", .ask = &Client::Create, .at_once = kAtOnce}};
  for (size_t round = 0; round < rounds; ++round) {
    for (Sort& sort : sorts) {
      if (round % 2 == 0) Measure(sort, dray, sort.dray);
      Measure(sort, bare, sort.echo);
      if (round % 2 != 0) Measure(sort, dray, sort.dray);
    }
  }
  fmt::print(
      "one request over HTTP/2 and TLS at the server, the best of {} rounds; answers of {} and "
      "{} bytes\n",
      rounds,
      answers["GET"].body.size(),
      answers["POST"].body.size());
  fmt::print("{:<24}{:>10}{:>10}{:>11}{:>12}{:>10}{:>11}{:>10}{:>10}\n",
             "",
             "CPU, us",
             "bare echo",
             "",
             "1000 instr",
             "bare echo",
             "",
             "max, ms",
             "bare echo");
  for (const Sort& sort : sorts) Print(sort);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() < 2) bench::Die("usage: echo_bench DRAY [--rounds N] [FLAG...]");
  size_t rounds = kRounds;
  std::vector<std::string> flags = {"--components", "apiserver"};
  for (size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "--rounds" && i + 1 < words.size()) {
      rounds = bench::NumberIn(words[++i]);
    } else {
      flags.push_back(words[i]);
    }
  }
  Run(words[1], rounds, flags);
  return 0;
}
