// SPDX-License-Identifier: Apache-2.0
// A separate `dray serve` for a measurement: started in a scratch folder on a free port of
// loopback, used over plain HTTP with a token, then stopped and removed.
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

/// A new folder in the system's temporary folder; the destructor removes it.
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
  /// Starts `program` serve with `flags` on data in `folder`. Returns at once, see AwaitReady.
  /// Prints an error and ends the program if that fails.
  ServerProcess(const std::string& program,
                const std::string& folder,
                const std::vector<std::string>& flags);
  /// Sends SIGTERM and waits for the end of the process.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Polls /readyz until it returns 200, and returns that time. Ends the program after 30 s.
  MonotonicTime AwaitReady() const;

  MonotonicTime started() const { return started_; }
  /// The resident memory now (VmRSS), KiB.
  int64_t resident_kib() const;
  /// The most that it ever was (VmHWM), KiB.
  int64_t peak_resident_kib() const;
  /// The CPU time of its threads, user and system.
  double cpu_seconds() const;
  /// How often its log, that of earlier servers of the folder included, says `words`.
  size_t Said(std::string_view words) const;
  /// Starts to count the instructions of its threads outside of the kernel.
  void CountInstructions();
  /// The count since CountInstructions; 0 if the kernel does not count.
  uint64_t instructions() const;

  /// Options of clients with administrator rights.
  net::client::HttpClientOptions ClientOptions() const;
  /// The port for TLS, and the authority that signed its certificate.
  uint16_t tls_port() const { return port_; }
  std::string CaPem() const;
  net::tls::Credentials ServingCredentials() const;

 private:
  int64_t StatusOf(std::string_view line) const;

  std::string log_path_, data_path_;
  uint16_t port_ = 0;
  pid_t pid_ = -1;
  MonotonicTime started_;
  std::vector<testing::InstructionCounter> counters_;  // one for each thread
};

/// Pins this program and the servers that it starts later to one CPU. Otherwise a request that
/// wakes a thread on an idle CPU costs the server up to 15 us more than one that does not (2
/// virtual CPUs). Which case applies depends on where the kernel placed the threads, for the
/// server's whole life.
void UseOneCpu();

/// Ends the program with a message.
[[noreturn]] void Die(std::string_view why);

double Milliseconds(std::chrono::nanoseconds time);

}  // namespace dray::bench
