// SPDX-License-Identifier: Apache-2.0
// What a server shows and whose certificates it trusts: its own, made on the first start, or files
// that the user names, which are read again when they change.
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

/// Paths of PEM files, in kube-apiserver's words; an empty one is not used.
struct TlsFileNames {
  std::string certificate, key;  // --tls-cert-file, --tls-private-key-file: both or none
  std::string client_ca;         // --client-ca-file: trusted beside the server's own authority
};

/// Errors: kBadRequest  a file that is named cannot be read, or is not what the option wants.
Result<> CheckTlsFiles(World& world, const TlsFileNames& names);

/// Made and destroyed while the reactor it watches on does not run it.
class TlsFiles {
 public:
  /// How often the files are read: a renewed certificate is shown this much later, at most.
  static constexpr std::chrono::seconds kPeriod{10};

  /// Everything outlives it.
  TlsFiles(World& world,
           const Log& log,
           TlsFileNames names,
           ServerCredentials own,
           net::tls::HttpVersions versions);

  /// Whether Load would find the files sound, without the server's own. Errors: as of Load.
  Result<> Check() const;
  /// Reads the files. Call it once, first.
  /// Errors: kBadRequest  only one of certificate and key is named; a file holds no certificate or
  ///         key, or the key is of another certificate; or cannot be read.
  Result<std::shared_ptr<net::tls::ServerContext>> Load();

  /// Reads the files again; new connections see what has changed. Files that do not fit
  /// together (a certificate is there before its key) change nothing, are logged once, and are read
  /// again when they change.
  void Reload();
  /// Reload each period, on the reactor's thread.
  void Watch(net::Reactor& reactor);

  /// Whom clients of this server should trust: its own authority, and the certificate that is
  /// shown.
  std::string TrustedByClients() const;

 private:
  Result<net::tls::ServerOptions> Read() const;
  bool has_files() const { return !names_.certificate.empty() || !names_.client_ca.empty(); }

  World& world_;
  const Log& log_;
  const TlsFileNames names_;
  const ServerCredentials own_;
  const net::tls::HttpVersions versions_;
  net::tls::ServerOptions tried_;  // as read last, good or not
  std::string failure_;            // of the last reading
  std::shared_ptr<net::tls::ServerContext> context_;
  net::Timer timer_;
};

}  // namespace dray::control_plane
