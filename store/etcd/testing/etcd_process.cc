// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/testing/etcd_process.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/try.h"
#include "base/world.h"

namespace dray::store::etcd::testing {
namespace {

constexpr std::string_view kServing = "serving client traffic";
constexpr std::string_view kPortTaken = "address already in use";
constexpr size_t kLogBytesMax = size_t{64} << 10U;
constexpr int kPortTries = 20;
constexpr uint16_t kFirstPort = 10'000;
constexpr int kStartPatienceMs = 600'000;  // limit without a line of log; reached only because of a
                                           // bug

std::vector<char*> Arguments(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

bool IsFree(uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  DRAY_CHECK(socket >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  ::close(socket);
  return bound == 0;
}

/// The first port the system may give to a connecting socket.
uint16_t FirstEphemeralPort() {
  constexpr uint16_t kUsual = 32768;
  const Result<std::string> range =
      RealWorld().disk.Read("/proc/sys/net/ipv4/ip_local_port_range");  // "32768	60999"
  if (!range.has_value()) return kUsual;
  uint16_t first = kUsual;
  std::from_chars(range->data(), range->data() + range->size(), first);
  return first > kFirstPort ? first : kUsual;
}

/// The parent folder for TemporaryFolder.
std::string BaseOf(EtcdDisk disk) {
  constexpr std::string_view kMemory = "/dev/shm";
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(kMemory, error);
  const bool has_room = !error && space.available > uintmax_t{1} << 30U;
  return disk == EtcdDisk::kMemory && has_room ? std::string(kMemory) : "";
}

/// openssl's arguments for a key and a certificate, signed by `ca` or by itself.
std::vector<std::string> CertificateCommand(const std::string& base,
                                            std::string_view name,
                                            const std::string& ca_base,
                                            const std::vector<std::string>& extensions) {
  std::vector<std::string> command = {"openssl",
                                      "req",
                                      "-x509",
                                      "-newkey",
                                      "ec",
                                      "-nodes",
                                      "-pkeyopt",
                                      "ec_paramgen_curve:P-256",
                                      "-days",
                                      "2",
                                      "-subj",
                                      fmt::format("/CN={}", name),
                                      "-keyout",
                                      base + ".key",
                                      "-out",
                                      base + ".crt"};
  if (!ca_base.empty()) {
    for (const std::string& word :
         {std::string("-CA"), ca_base + ".crt", std::string("-CAkey"), ca_base + ".key"}) {
      command.push_back(word);
    }
  }
  for (const std::string& extension : extensions) {
    command.emplace_back("-addext");
    command.push_back(extension);
  }
  return command;
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& base) {
  std::filesystem::path below = base;
  if (base.empty()) below = std::filesystem::temp_directory_path();
  std::string path = (below / "dray-etcd-XXXXXX").string();
  DRAY_CHECK(::mkdtemp(path.data()) != nullptr);
  path_ = std::move(path);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result<std::string> RunProgram(const std::vector<std::string>& command) {
  std::array<int, 2> output{};
  DRAY_CHECK(::pipe2(output.data(), O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDERR_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawnp(
      &pid, command.front().c_str(), &actions, nullptr, Arguments(command).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(output[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(output[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(n));
  }
  ::close(output[0]);
  if (error != 0) {
    return Fail(
        StatusReason::kInternalError,
        fmt::format("cannot run {}: {}", command.front(), std::generic_category().message(error)));
  }
  int status = 0;
  DRAY_CHECK(::waitpid(pid, &status, 0) == pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  return Fail(StatusReason::kInternalError, fmt::format("{} failed: {}", command.front(), text));
}

ReservedPort::ReservedPort() {
  const std::string folder = fmt::format("/tmp/dray-test-ports-{}", ::getuid());
  ::mkdir(folder.c_str(), 0700);  // fails if it exists
  const uint64_t count = FirstEphemeralPort() - kFirstPort;
  while (true) {
    number_ = static_cast<uint16_t>(kFirstPort + RealWorld().random.Next() % count);
    const std::string file = fmt::format("{}/{}", folder, number_);
    lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    DRAY_CHECK(lock_ >= 0);
    if (::flock(lock_, LOCK_EX | LOCK_NB) == 0 && IsFree(number_)) return;
    ::close(lock_);
  }
}

ReservedPort::ReservedPort(ReservedPort&& other) noexcept
    : number_(other.number_), lock_(std::exchange(other.lock_, -1)) {}

ReservedPort& ReservedPort::operator=(ReservedPort&& other) noexcept {
  std::swap(number_, other.number_);
  std::swap(lock_, other.lock_);
  return *this;
}

ReservedPort::~ReservedPort() {
  if (lock_ >= 0) ::close(lock_);
}

uint16_t FreePort() {
  return ReservedPort().number();
}

Result<TlsFiles> TlsFiles::Make(const std::string& folder) {
  const std::string ca = folder + "/ca";
  const std::string server = folder + "/server";
  const std::string client = folder + "/client";
  DRAY_TRY_VOID(RunProgram(CertificateCommand(ca, "etcd-ca", "", {"keyUsage=keyCertSign"})));
  DRAY_TRY_VOID(RunProgram(CertificateCommand(server,
                                              "etcd",
                                              ca,
                                              // etcd's gateway connects to etcd itself with this
                                              // certificate, so it must be valid for a client too.
                                              {"basicConstraints=critical,CA:FALSE",
                                               "subjectAltName=IP:127.0.0.1",
                                               "extendedKeyUsage=serverAuth,clientAuth"})));
  DRAY_TRY_VOID(RunProgram(CertificateCommand(
      client, "dray", ca, {"basicConstraints=critical,CA:FALSE", "extendedKeyUsage=clientAuth"})));
  return TlsFiles{.ca = ca + ".crt",
                  .server_certificate = server + ".crt",
                  .server_key = server + ".key",
                  .client_certificate = client + ".crt",
                  .client_key = client + ".key"};
}

std::string EtcdProcess::Missing() {
  const Result<std::string> ran = RunProgram({"etcd", "--version"});
  if (ran.has_value()) return "";
  return fmt::format("needs etcd (Debian: apt-get install etcd-server): {}", ran.error().message);
}

Result<std::unique_ptr<EtcdProcess>> EtcdProcess::Start(const EtcdProcessOptions& options) {
  std::unique_ptr<EtcdProcess> etcd(new EtcdProcess(options));
  if (options.tls != EtcdTls::kOff) {
    DRAY_TRY(etcd->tls_files_, TlsFiles::Make(etcd->folder_.path()));
  }
  for (int tries = 1;; ++tries) {
    Result<> launched = etcd->Launch();
    if (launched.has_value()) return etcd;
    if (tries == kPortTries || !launched.error().message.contains(kPortTaken)) {
      return std::move(launched).failure();
    }
    std::filesystem::remove_all(etcd->folder_.path() + "/data");
    etcd->client_port_ = ReservedPort();
    etcd->peer_port_ = ReservedPort();
  }
}

EtcdProcess::EtcdProcess(EtcdProcessOptions options)
    : options_(std::move(options)), folder_(BaseOf(options_.disk)) {}

EtcdProcess::~EtcdProcess() {
  Kill();
}

Result<> EtcdProcess::Launch() {
  {
    const MutexLock lock(mutex_);
    state_ = State::kStarting;
    log_.clear();
  }
  runner_ = std::jthread([this] { Run(Command()); });
  const MutexLock lock(mutex_);
  while (state_ == State::kStarting) changed_.Wait(mutex_);
  if (state_ == State::kServing) return {};
  return Fail(StatusReason::kInternalError, fmt::format("etcd does not serve: {}", log_));
}

std::vector<std::string> EtcdProcess::Command() const {
  const std::string peer = fmt::format("http://127.0.0.1:{}", peer_port_.number());
  std::vector<std::string> command = {
      "etcd",
      "--data-dir=" + folder_.path() + "/data",
      "--listen-client-urls=" + endpoint(),
      "--advertise-client-urls=" + endpoint(),
      "--listen-peer-urls=" + peer,
      "--initial-advertise-peer-urls=" + peer,
      "--initial-cluster=default=" + peer,
      "--initial-cluster-token=" + folder_.path(),  // another cluster id for each
      "--heartbeat-interval=20",
      "--election-timeout=100",
      "--logger=zap",
  };
  if (options_.tls != EtcdTls::kOff) {
    command.push_back("--cert-file=" + tls_files_.server_certificate);
    command.push_back("--key-file=" + tls_files_.server_key);
  }
  if (options_.tls == EtcdTls::kMutual) {
    command.emplace_back("--client-cert-auth");
    command.push_back("--trusted-ca-file=" + tls_files_.ca);
  }
  command.insert(command.end(), options_.flags.begin(), options_.flags.end());
  return command;
}

void EtcdProcess::Run(const std::vector<std::string>& command) {
  std::array<int, 2> output{};
  DRAY_CHECK(::pipe2(output.data(), O_CLOEXEC) == 0);
  const std::vector<char*> arguments = Arguments(command);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  DRAY_CHECK(pid >= 0);
  if (pid == 0) {
    // Dies with this thread, which lives as long as the process is wanted.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::dup2(output[1], STDOUT_FILENO);
    ::dup2(output[1], STDERR_FILENO);
    ::execvp(arguments.front(), arguments.data());
    ::_exit(127);
  }
  ::close(output[1]);
  {
    const MutexLock lock(mutex_);
    pid_ = pid;
  }
  ReadLog(output[0]);
  ::close(output[0]);
  DRAY_CHECK(::waitid(P_PID, static_cast<id_t>(pid), nullptr, WEXITED | WNOWAIT) == 0);
  const MutexLock lock(mutex_);
  DRAY_CHECK(::waitpid(pid, nullptr, 0) == pid);  // only now may the system reuse the process id
  pid_ = 0;
  state_ = State::kGone;
  changed_.NotifyAll();
}

void EtcdProcess::ReadLog(int output) {
  std::array<char, 4096> buffer{};
  while (true) {
    pollfd wait{.fd = output, .events = POLLIN, .revents = 0};
    if (::poll(&wait, 1, kStartPatienceMs) == 0) {
      const MutexLock lock(mutex_);
      if (state_ == State::kStarting) ::kill(pid_, SIGKILL);
      continue;
    }
    const ssize_t n = ::read(output, buffer.data(), buffer.size());
    if (n <= 0) return;
    const MutexLock lock(mutex_);
    Note({buffer.data(), static_cast<size_t>(n)});
  }
}

void EtcdProcess::Note(std::string_view text) {
  log_ += text;
  if (state_ == State::kStarting && log_.contains(kServing)) {
    state_ = State::kServing;
    changed_.NotifyAll();
  }
  if (log_.size() > kLogBytesMax) log_.erase(0, log_.size() - kLogBytesMax / 2);
}

void EtcdProcess::Signal(int number) {
  const MutexLock lock(mutex_);
  if (pid_ != 0) ::kill(pid_, number);
}

void EtcdProcess::Kill() {
  Signal(SIGKILL);
  const MutexLock lock(mutex_);
  while (state_ != State::kGone) changed_.Wait(mutex_);
}

Result<> EtcdProcess::Restart() {
  if (runner_.joinable()) runner_.join();
  for (int tries = 1;; ++tries) {
    Result<> launched = Launch();
    if (launched.has_value() || tries == kPortTries ||
        !launched.error().message.contains(kPortTaken)) {
      return launched;
    }
  }
}

Result<> EtcdProcess::RestartEmpty() {
  std::filesystem::remove_all(folder_.path() + "/data");
  return Restart();
}

Result<std::string> EtcdProcess::Etcdctl(const std::vector<std::string>& words) const {
  std::vector<std::string> command = {
      "etcdctl", "--endpoints=" + endpoint(), "--dial-timeout=10m", "--command-timeout=10m"};
  if (options_.tls != EtcdTls::kOff) {
    command.push_back("--cacert=" + tls_files_.ca);
    command.push_back("--cert=" + tls_files_.client_certificate);
    command.push_back("--key=" + tls_files_.client_key);
  }
  command.insert(command.end(), words.begin(), words.end());
  return RunProgram(command);
}

void EtcdProcess::Pause() {
  const MutexLock lock(mutex_);
  if (pid_ == 0) return;
  ::kill(pid_, SIGSTOP);
  // The signal stops each thread at a different time. waitid reports the process when all threads
  // have stopped.
  siginfo_t stopped{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED | WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
}

void EtcdProcess::Resume() {
  Signal(SIGCONT);
}

std::string EtcdProcess::endpoint() const {
  return fmt::format("{}://127.0.0.1:{}", options_.tls == EtcdTls::kOff ? "http" : "https", port());
}

std::string EtcdProcess::log() const {
  const MutexLock lock(mutex_);
  return log_;
}

}  // namespace dray::store::etcd::testing
