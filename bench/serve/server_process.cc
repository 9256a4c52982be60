// SPDX-License-Identifier: Apache-2.0
#include "bench/serve/server_process.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "net/server/http_server.h"

namespace dray::bench {
namespace {

constexpr std::chrono::seconds kReadyMax{30};
constexpr std::chrono::microseconds kPollPause{200};
constexpr std::string_view kToken = "bench-token";

class NoHandler final : public net::Handler {
 public:
  void Handle(net::Request /*request*/, std::shared_ptr<net::Responder> responder) override {
    responder->Respond({}, {});
  }
};

/// A port that was free during the call.
uint16_t FreePort() {
  NoHandler handler;
  const Log log = Log::Silent();
  const auto server = net::server::HttpServer::Start(RealWorld().clock, log, {}, handler);
  if (!server) Die(server.error().message);
  return (*server)->port();
}

}  // namespace

void UseOneCpu() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    Die("which CPUs may be used is unknown");
  int last = CPU_SETSIZE - 1;  // the first CPUs handle interrupts
  while (last > 0 && !CPU_ISSET(static_cast<size_t>(last), &allowed)) --last;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(last), &one);
  if (sched_setaffinity(0, sizeof(one), &one) != 0) Die("one CPU alone cannot be used");
}

void Die(std::string_view why) {
  fmt::print(stderr, "bench: {}\n", why);
  std::exit(1);  // NOLINT(concurrency-mt-unsafe): nothing is left to do
}

double Milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

ScratchFolder::ScratchFolder()
    : path_(std::filesystem::temp_directory_path() /
            ("dray-bench-" + NewUuid(RealWorld().random))) {
  std::filesystem::create_directories(path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ServerProcess::ServerProcess(const std::string& program,
                             const std::string& folder,
                             const std::vector<std::string>& flags)
    : log_path_(folder + "/serve.log"), data_path_(folder + "/data"), port_(FreePort()) {
  World& world = RealWorld();
  const std::string tokens = folder + "/tokens";
  const std::string line = fmt::format("{},bench,1,system:masters\n", kToken);
  if (!world.disk.Write(tokens, line, Disk::Privacy::kOwnerOnly)) Die("cannot write " + tokens);
  std::vector<std::string> words{program,
                                 "serve",
                                 "--data-dir",
                                 data_path_,
                                 "--listen",
                                 fmt::format("127.0.0.1:{}", port_),
                                 "--token-file",
                                 tokens,
                                 // As upstream's own benchmarks: pods need no accounts.
                                 "--disable-admission-plugins=ServiceAccount"};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(
        &actions, stream, log_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  }
  started_ = world.clock.Monotonic();
  const int failed =
      posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) Die("cannot start " + program);
}

ServerProcess::~ServerProcess() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

MonotonicTime ServerProcess::AwaitReady() const {
  const Clock& clock = RealWorld().clock;
  const net::client::ClientRequest request{.target = "/readyz"};
  while (clock.Monotonic() - started_ < kReadyMax) {
    net::client::HttpClient client(clock, ClientOptions());
    const auto answer = client.Send(request);
    if (answer && answer->status == 200) return clock.Monotonic();
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) break;
    std::this_thread::sleep_for(kPollPause);
  }
  Die("the server did not get ready; it said:\n" +
      RealWorld().disk.Read(log_path_).value_or("nothing"));
}

int64_t ServerProcess::StatusOf(std::string_view line) const {
  const std::string path = fmt::format("/proc/{}/status", pid_);
  const std::string status = RealWorld().disk.Read(path).value_or("");
  const size_t at = status.find(line);
  return at == std::string::npos ? 0 : std::strtoll(status.c_str() + at + line.size(), nullptr, 10);
}

int64_t ServerProcess::resident_kib() const {
  return StatusOf("VmRSS:");
}

int64_t ServerProcess::peak_resident_kib() const {
  return StatusOf("VmHWM:");
}

double ServerProcess::cpu_seconds() const {
  std::error_code ignored;
  const std::string threads = fmt::format("/proc/{}/task", pid_);
  double nanoseconds = 0;
  for (const auto& thread : std::filesystem::directory_iterator(threads, ignored)) {
    const std::string file = (thread.path() / "schedstat").string();
    const std::string status = RealWorld().disk.Read(file).value_or("0");
    nanoseconds += std::strtod(status.c_str(), nullptr);  // the first number
  }
  return nanoseconds / 1e9;
}

size_t ServerProcess::Said(std::string_view words) const {
  const std::string log = RealWorld().disk.Read(log_path_).value_or("");
  size_t times = 0;
  for (size_t at = log.find(words); at != std::string::npos; at = log.find(words, at + 1)) ++times;
  return times;
}

void ServerProcess::CountInstructions() {
  std::error_code ignored;
  const auto threads = fmt::format("/proc/{}/task", pid_);
  for (const auto& thread : std::filesystem::directory_iterator(threads, ignored)) {
    const auto id = static_cast<pid_t>(std::strtol(thread.path().filename().c_str(), nullptr, 10));
    counters_.emplace_back(id);
  }
}

uint64_t ServerProcess::instructions() const {
  uint64_t all = 0;
  for (const auto& counter : counters_) all += counter.Read().value_or(0);
  return all;
}

net::client::HttpClientOptions ServerProcess::ClientOptions() const {
  return {.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = port_, .path = ""},
          .bearer_token = std::string(kToken)};
}

net::tls::Credentials ServerProcess::ServingCredentials() const {
  const auto certificate = RealWorld().disk.Read(data_path_ + "/pki/apiserver.crt");
  const auto key = RealWorld().disk.Read(data_path_ + "/pki/apiserver.key");
  if (!certificate || !key) Die("cannot read the server's certificate");
  return {.certificate_pem = *certificate, .key_pem = *key};
}

std::string ServerProcess::CaPem() const {
  const auto pem = RealWorld().disk.Read(data_path_ + "/pki/ca.crt");
  if (!pem) Die(pem.error().message);
  return *pem;
}

}  // namespace dray::bench
