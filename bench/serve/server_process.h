// SPDX-License-Identifier: Apache-2.0
// A `dray serve` of one's own for a measurement: started in a scratch folder on a free port of
// loopback, asked over plain HTTP with a token, ended and removed afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "base/testing/instruction_counter.h"
#include "base/world.h"
#include "net/client/http_client.h"
#include "net/tls/certificates.h"

namespace dray::bench {

/// A folder of its own under the system's temporary one, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class ServerProcess {
 public:
  /// Starts `program` serve with `flags` on data in `folder`; returns at once, see AwaitReady.
  /// Prints why and ends the program when that is impossible: a benchmark has nobody to ask.
  ServerProcess(const std::string& program,
                const std::string& folder,
                const std::vector<std::string>& flags);
  /// Ends it with SIGTERM and waits.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Asks /readyz until it says 200; returns when that was. Ends the program after 30 s.
  MonotonicTime AwaitReady() const;

  MonotonicTime started() const { return started_; }
  /// Memory that is resident now (VmRSS), KiB.
  int64_t resident_kib() const;
  /// CPU time that its threads have used, user and system.
  double cpu_seconds() const;
  /// Counts from now on what instructions its threads take outside of the kernel.
  void CountInstructions();
  /// Since then; 0 where the kernel does not count.
  uint64_t instructions() const;

  /// For clients: who asks is an administrator.
  net::client::HttpClientOptions ClientOptions() const;
  /// Where it also speaks TLS, and who signed what it shows there.
  uint16_t tls_port() const { return port_; }
  std::string CaPem() const;
  net::tls::Credentials ServingCredentials() const;

 private:
  std::string log_path_, data_path_;
  uint16_t port_ = 0;
  pid_t pid_ = -1;
  MonotonicTime started_;
  std::vector<testing::InstructionCounter> counters_;  // one for each thread
};

/// From now on this program and the servers it starts run on one CPU. Otherwise a request that
/// wakes a thread on an idle CPU costs the server up to 15 us more than one that does not (2
/// virtual CPUs), and which it is depends on where the kernel put the threads, for as long as the
/// server lives.
void UseOneCpu();

/// Ends the program with a message.
[[noreturn]] void Die(std::string_view why);

double Milliseconds(std::chrono::nanoseconds time);

}  // namespace dray::bench
