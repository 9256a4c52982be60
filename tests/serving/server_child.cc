// SPDX-License-Identifier: Apache-2.0
#include "tests/serving/server_child.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wakeup.h"
#include "base/world.h"
#include "client/kubeconfig.h"
#include "tests/serving/activity.h"

namespace dray::serving {
namespace {

constexpr int kLooksMax = 300'000;  // ten minutes: only ever used up by a bug
constexpr std::chrono::milliseconds kBetweenLooks{2};
constexpr int kNotRun = 127;  // the exit code that shells use

/// In the child, between fork and exec: calls only functions that are safe there.
[[noreturn]] void Become(char* const* arguments, const char* log, pid_t parent) {
  // The kernel kills the server when the thread that started it ends, however it ends.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kNotRun);  // the parent ended before the line above
  const int output = ::open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (output >= 0) {
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
  }
  ::execv(arguments[0], arguments);
  ::_exit(kNotRun);
}

}  // namespace

ServerChild::ServerChild(std::string program,
                         std::string folder,
                         std::vector<std::string> flags,
                         const std::string& users)
    : folder_(std::move(folder)),
      command_({std::move(program),
                "serve",
                "--data-dir",
                folder_ + "/data",
                "--listen",
                "127.0.0.1:0",
                "--token-file",
                folder_ + "/tokens",
                // As upstream's own integration tests: pods need no service accounts.
                "--disable-admission-plugins=ServiceAccount"}) {
  command_.insert(command_.end(), flags.begin(), flags.end());
  (void)RealWorld().disk.Write(
      folder_ + "/tokens", users + Token() + ",test,1,system:masters\n", Disk::Privacy::kOwnerOnly);
}

Result<> ServerChild::Start() {
  std::error_code ignored;
  std::filesystem::remove(folder_ + "/data/kubeconfig", ignored);  // the server writes it when it
                                                                   // listens
  std::vector<char*> arguments;
  arguments.reserve(command_.size() + 1);
  for (std::string& word : command_) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string log = folder_ + "/log";
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) Become(arguments.data(), log.c_str(), parent);
  if (pid_ < 0) {
    pid_ = 0;
    return Fail(StatusReason::kInternalError, "cannot run " + command_[0]);
  }
  Wakeup nobody;
  for (int i = 0; i < kLooksMax; ++i) {
    if (ReadPort()) return {};
    if (const std::optional<int> code = ExitCode()) {
      if (*code == kNotRun) {
        return Fail(StatusReason::kInternalError, "cannot run " + command_[0]);
      }
      return Fail(StatusReason::kInternalError,
                  fmt::format("the server ended with code {} before it listened: {}",
                              *code,
                              RealWorld().disk.Read(log).value_or("")));
    }
    nobody.WaitFor(kBetweenLooks);
  }
  return Fail(StatusReason::kInternalError,
              "the server does not listen: " + RealWorld().disk.Read(log).value_or(""));
}

std::optional<int> ServerChild::ExitCode() const {
  siginfo_t ended{};
  // WNOWAIT: Kill() still collects the process, so its number stays ours until then.
  if (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return {};
  if (ended.si_pid == 0) return {};
  return ended.si_status;
}

bool ServerChild::ReadPort() {
  Disk& disk = RealWorld().disk;
  const auto text = disk.Read(folder_ + "/data/kubeconfig");
  if (!text) return false;
  const auto access = client::ParseKubeconfig(*text, "", folder_ + "/data", disk);
  if (!access) return false;
  const size_t colon = access->server.rfind(':');
  port_ = static_cast<uint16_t>(std::strtoul(access->server.c_str() + colon + 1, nullptr, 10));
  return true;
}

void ServerChild::Kill() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
}

bool ServerChild::is_idle() const {
  return IsIdle(pid_);
}

void ServerChild::Pause() const {
  kill(pid_, SIGSTOP);
  siginfo_t stopped{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED | WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
}

void ServerChild::Resume() const {
  kill(pid_, SIGCONT);
}

}  // namespace dray::serving
