// SPDX-License-Identifier: Apache-2.0
// For tests: a real etcd of one member, on free loopback ports and a folder of its own, that can be
// killed, started again on the same folder, and stopped for a while.
//
//   if (const std::string reason = EtcdProcess::Missing(); !reason.empty()) GTEST_SKIP() << reason;
//   const auto etcd = EtcdProcess::Start({}).value();
//   … etcd->endpoint() …; etcd->Kill(); etcd->Restart().value();
//
// Elections take 0.1 s, so starting takes about that long. The process dies with this one, however
// that ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "base/mutex.h"
#include "base/result.h"

namespace dray::store::etcd::testing {

/// A folder of its own below `base`, the system's one for temporary files unless told otherwise;
/// goes with its owner.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& base = "");
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs a program, waits for its end, and returns what it printed.
/// Errors: kInternalError  it cannot be run, or fails; the message has what it printed.
Result<std::string> RunProgram(const std::vector<std::string>& command);

/// A port of 127.0.0.1 that nobody listens on, and that no other test gets as long as this lives: a
/// server that was killed finds it free. It lies outside the range that the system hands out to
/// connecting sockets: a client that keeps dialling a dead server must not end up connected to
/// itself. tests/scripts/ports.py and lib.sh keep to the same rule.
class ReservedPort {
 public:
  ReservedPort();
  ReservedPort(const ReservedPort&) = delete;
  ReservedPort& operator=(const ReservedPort&) = delete;
  ReservedPort(ReservedPort&& other) noexcept;
  ReservedPort& operator=(ReservedPort&& other) noexcept;
  ~ReservedPort();
  uint16_t number() const { return number_; }

 private:
  uint16_t number_ = 0;
  int lock_ = -1;
};

/// One that is reserved by nobody at this moment.
uint16_t FreePort();

/// An authority with a server's and a client's certificate, made with the openssl program, as files
/// in `folder`.
struct TlsFiles {
  std::string ca, server_certificate, server_key, client_certificate, client_key;

  /// Errors: kInternalError  openssl says no.
  static Result<TlsFiles> Make(const std::string& folder);
};

enum class EtcdTls : uint8_t {
  kOff,
  kServer,  // only the server shows a certificate
  kMutual,  // clients must show one too (--client-cert-auth)
};

enum class EtcdDisk : uint8_t {
  kReal,    // on the disk of temporary files
  kMemory,  // in memory if there is a gigabyte of it: flushing costs nothing, and waits for nobody
};

struct EtcdProcessOptions {
  EtcdTls tls = EtcdTls::kOff;
  EtcdDisk disk = EtcdDisk::kReal;
  std::vector<std::string> flags{};  // further ones of etcd, e.g. "--quota-backend-bytes=16777216"
};

class EtcdProcess {
 public:
  /// Why there is no etcd to test with; empty when there is one.
  static std::string Missing();

  /// Starts an empty one and waits until it serves.
  /// Errors: kInternalError  it does not; the message has the end of its log.
  static Result<std::unique_ptr<EtcdProcess>> Start(const EtcdProcessOptions& options);

  EtcdProcess(const EtcdProcess&) = delete;
  EtcdProcess& operator=(const EtcdProcess&) = delete;
  /// Kills it and deletes its folder.
  ~EtcdProcess();

  /// SIGKILL; returns when it is gone. Again is harmless.
  void Kill();
  /// After Kill: starts it on the same folder and ports, and waits until it serves.
  /// Errors: as Start.
  Result<> Restart();
  /// After Kill: the same, but without its data: the cluster has the same id and begins anew.
  Result<> RestartEmpty();
  /// SIGSTOP: connections stay, nothing is answered from the return of this call on. Again is
  /// harmless.
  void Pause();
  /// SIGCONT.
  void Resume();

  /// As --etcd-servers takes it: "http://127.0.0.1:12345", or with https.
  std::string endpoint() const;
  uint16_t port() const { return client_port_.number(); }
  /// Files in its folder; empty without TLS.
  const TlsFiles& tls_files() const { return tls_files_; }
  /// Runs etcdctl on it.
  Result<std::string> Etcdctl(const std::vector<std::string>& words) const;
  /// The last lines of its log.
  std::string log() const;

 private:
  explicit EtcdProcess(EtcdProcessOptions options);

  enum class State : uint8_t { kStarting, kServing, kGone };

  Result<> Launch();
  std::vector<std::string> Command() const;
  void Run(const std::vector<std::string>& command);
  void ReadLog(int output);
  void Note(std::string_view text) DRAY_REQUIRES(mutex_);
  void Signal(int number);

  const EtcdProcessOptions options_;
  TemporaryFolder folder_;
  TlsFiles tls_files_;
  ReservedPort client_port_, peer_port_;
  mutable Mutex mutex_;
  Condition changed_;
  State state_ DRAY_GUARDED_BY(mutex_) = State::kGone;
  pid_t pid_ DRAY_GUARDED_BY(mutex_) = 0;  // 0 while there is none
  std::string log_ DRAY_GUARDED_BY(mutex_);
  std::jthread runner_;  // starts the process and outlives it
};

}  // namespace dray::store::etcd::testing
