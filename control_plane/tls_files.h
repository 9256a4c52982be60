// SPDX-License-Identifier: Apache-2.0
// A server's certificate and the authorities that it trusts: its own, made on the first start, or
// files of the user, which are read again when they change.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "control_plane/credentials.h"
#include "net/reactor.h"
#include "net/tls/context.h"

namespace dray::control_plane {

/// Paths of PEM files, named like kube-apiserver's flags; an empty one is not used.
struct TlsFileNames {
  std::string certificate, key;  // --tls-cert-file, --tls-private-key-file: both or none
  std::string client_ca;         // --client-ca-file: trusted besides the own authority
};

/// Errors: kBadRequest  a named file cannot be read, or has the wrong contents.
Result<> CheckTlsFiles(World& world, const TlsFileNames& names);

/// Construct and destroy it while the reactor given to Watch is not running it.
class TlsFiles {
 public:
  /// How often the files are read; a renewed certificate is used at most this much later.
  static constexpr std::chrono::seconds kPeriod{10};

  /// All arguments must outlive it.
  TlsFiles(World& world,
           const Log& log,
           TlsFileNames names,
           ServerCredentials own,
           net::tls::HttpVersions versions);

  /// Checks the files as Load does, without the server's own. Errors: those of Load.
  Result<> Check() const;
  /// Reads the files. Call it once, first.
  /// Errors: kBadRequest  only one of certificate and key is named; a file holds no certificate or
  ///         key, or the key is of another certificate; or cannot be read.
  Result<std::shared_ptr<net::tls::ServerContext>> Load();

  /// Reads the files again; new connections use the changes. Files that do not match (a new
  /// certificate whose key is not there yet) change nothing, are logged once, and are read again
  /// when they change.
  void Reload();
  /// Calls Reload each period, on the reactor's thread.
  void Watch(net::Reactor& reactor);

  /// The certificates that clients of this server should trust: its own authority, and the served
  /// certificate.
  std::string TrustedByClients() const;

 private:
  Result<net::tls::ServerOptions> Read() const;
  bool has_files() const { return !names_.certificate.empty() || !names_.client_ca.empty(); }

  World& world_;
  const Log& log_;
  const TlsFileNames names_;
  const ServerCredentials own_;
  const net::tls::HttpVersions versions_;
  net::tls::ServerOptions tried_;  // read last, valid or not
  std::string failure_;            // of the last read
  std::shared_ptr<net::tls::ServerContext> context_;
  net::Timer timer_;
};

}  // namespace dray::control_plane
