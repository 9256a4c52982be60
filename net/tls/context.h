// SPDX-License-Identifier: Apache-2.0
// TLS settings of a server and of a client (TLS 1.2 and newer). Both contexts are
// made once and shared by every connection and thread; OpenSSL stays behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/published.h"
#include "base/result.h"
#include "net/tls/certificates.h"

namespace dray::net::tls {

struct State;  // OpenSSL's context: net/tls/transport.h

/// What a client may show for itself: its certificate and those that lead to an authority. Any
/// client can send that much, and it is kept as long as the connection. Some 8 certificates of RSA
/// 4096.
inline constexpr size_t kClientCertificatesBytesMax = size_t{16} << 10;

/// The versions of HTTP that are offered (ALPN). A server takes the first of its own that the
/// client offers; one that offers none gets HTTP/1.1.
enum class HttpVersions : uint8_t {
  kHttp1,   // "http/1.1"
  kHttp2,   // "h2"
  kEither,  // "h2", then "http/1.1"
};

struct ServerOptions {
  Credentials credentials;    // certificate chain, leaf first, and its key
  std::string client_ca_pem;  // the signers of client certificates; empty: none are asked for
  HttpVersions versions = HttpVersions::kEither;
};

/// What a server shows and whom it trusts; may be replaced while it runs.
///
/// A client certificate is optional. One that does not verify does not break the handshake: the
/// request arrives with Peer::certificate_error, and the server says 401 (as Kubernetes does).
class ServerContext {
 public:
  /// Errors: kBadRequest  a PEM text does not parse, or the key is not the certificate's.
  static Result<std::shared_ptr<ServerContext>> Create(const ServerOptions& options);

  /// New connections use the new options, existing ones keep theirs. Safe from any thread.
  /// Errors: as Create; then nothing changes.
  Result<> Replace(const ServerOptions& options);

  Frozen<State> state() const { return state_.Load(); }

 private:
  explicit ServerContext(Frozen<State> state) : state_(std::move(state)) {}
  Published<State> state_;
};

enum class ServerCheck : uint8_t {
  kVerify,
  kTrustAnything,  // kubectl's --insecure-skip-tls-verify
};

struct ClientOptions {
  std::string ca_pem;              // whom to trust; empty: the system's authorities
  Credentials client_certificate;  // shown when asked for; both texts empty: none
  ServerCheck check = ServerCheck::kVerify;
  HttpVersions versions = HttpVersions::kHttp1;
};

class ClientContext {
 public:
  /// Errors: kBadRequest  a PEM text does not parse, or the key is not the certificate's.
  static Result<std::shared_ptr<const ClientContext>> Create(const ClientOptions& options);

  const Frozen<State>& state() const { return state_; }

 private:
  explicit ClientContext(Frozen<State> state) : state_(std::move(state)) {}
  Frozen<State> state_;
};

}  // namespace dray::net::tls
