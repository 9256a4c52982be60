// SPDX-License-Identifier: Apache-2.0
// A `dray serve` of one's own that can be stopped, killed and started again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace dray::serving {

/// A server in a process of its own, with its data in `folder`. For one thread: the server is
/// killed when the thread that called Start() ends, also by a signal or an abort of the whole
/// program.
class ServerChild {
 public:
  /// `flags` are added to those that it needs; include --components unless all components should
  /// run. `users` are lines of its token file besides the one of Token(). Does not start the server
  /// yet.
  ServerChild(std::string program,
              std::string folder,
              std::vector<std::string> flags,
              const std::string& users = {});
  ServerChild(const ServerChild&) = delete;
  ServerChild& operator=(const ServerChild&) = delete;
  ~ServerChild() { Kill(); }

  /// Returns when it listens, on a port that may be different each time.
  ///
  /// Errors: kInternalError  it does not run, it ended, or has not reported its port within ten
  ///                         minutes.
  Result<> Start();
  /// Sends SIGKILL; returns when the process is gone. Its files stay.
  void Kill();

  /// Sends SIGSTOP; returns when all threads have stopped. Connections stay.
  void Pause() const;
  void Resume() const;

  /// Whether it is idle (tests/serving/activity.h).
  bool is_idle() const;

  uint16_t port() const { return port_; }
  /// For requests of an administrator.
  static std::string Token() { return "test-token"; }

 private:
  bool ReadPort();
  /// Nothing while the server runs; the number of the signal when one ended it.
  std::optional<int> ExitCode() const;

  const std::string folder_;
  std::vector<std::string> command_;
  pid_t pid_ = 0;
  uint16_t port_ = 0;
};

}  // namespace dray::serving
