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

/// A new folder below `base`, by default the system's folder for temporary files. Removed by the
/// destructor.
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

/// Runs a program, waits for its end, and returns its output. Errors: kInternalError  it cannot be
/// run, or fails; the message has its output.
Result<std::string> RunProgram(const std::vector<std::string>& command);

/// A port of 127.0.0.1 on which no program listens, and that no other test gets during the life of
/// this object, so a server that was killed finds its port free again. The port lies outside the
/// range that the system gives to connecting sockets, because a client that keeps dialling a dead
/// server must not end up connected to itself. tests/scripts/ports.py and lib.sh keep to the same
/// rule.
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

/// Returns a port that is not reserved at this moment.
uint16_t FreePort();

/// An authority with certificates of a server and a client, made with the openssl program, as files
/// in `folder`.
struct TlsFiles {
  std::string ca, server_certificate, server_key, client_certificate, client_key;

  /// Errors: kInternalError  openssl fails.
  static Result<TlsFiles> Make(const std::string& folder);
};

enum class EtcdTls : uint8_t {
  kOff,
  kServer,  // only the server has a certificate
  kMutual,  // clients must send one too (--client-cert-auth)
};

enum class EtcdDisk : uint8_t {
  kReal,    // on the disk of temporary files
  kMemory,  // in memory if a gigabyte of it is available, so that flushing costs nothing
};

struct EtcdProcessOptions {
  EtcdTls tls = EtcdTls::kOff;
  EtcdDisk disk = EtcdDisk::kReal;
  std::vector<std::string> flags{};  // further flags of etcd, e.g. "--quota-backend-bytes=16777216"
};

class EtcdProcess {
 public:
  /// Why there is no etcd to test with; empty if there is one.
  static std::string Missing();

  /// Starts an empty etcd and waits until it serves. Errors: kInternalError  it does not; the
  /// message has the end of its log.
  static Result<std::unique_ptr<EtcdProcess>> Start(const EtcdProcessOptions& options);

  EtcdProcess(const EtcdProcess&) = delete;
  EtcdProcess& operator=(const EtcdProcess&) = delete;
  /// Kills it and deletes its folder.
  ~EtcdProcess();

  /// Sends SIGKILL and waits until the process is gone. May be called again.
  void Kill();
  /// Starts it again after Kill, on the same folder and ports, and waits until it serves. Errors:
  /// as Start.
  Result<> Restart();
  /// Like Restart, but without the data. The cluster has the same id and is empty.
  Result<> RestartEmpty();
  /// Sends SIGSTOP. Connections stay, but nothing is answered after this call has returned. May be
  /// called again.
  void Pause();
  /// Sends SIGCONT.
  void Resume();

  /// The form that --etcd-servers takes: "http://127.0.0.1:12345", or with https.
  std::string endpoint() const;
  uint16_t port() const { return client_port_.number(); }
  /// Files in the folder of this etcd; empty without TLS.
  const TlsFiles& tls_files() const { return tls_files_; }
  /// Runs etcdctl on this etcd.
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
