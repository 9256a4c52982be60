// SPDX-License-Identifier: Apache-2.0
#include "net/tls/context.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include "base/frozen.h"
#include "base/result.h"
#include "base/try.h"
#include "net/tls/certificates.h"
#include "net/tls/openssl.h"
#include "net/tls/transport.h"

namespace dray::net::tls {
namespace {

constexpr std::string_view kHttp1 = "\x08http/1.1";
constexpr std::string_view kHttp2 = "\x02h2";
constexpr std::string_view kEither = "\x02h2\x08http/1.1";

/// As ALPN writes them: each name behind its length.
const std::string_view& NamesOf(HttpVersions versions) {
  switch (versions) {
    case HttpVersions::kHttp1: return kHttp1;
    case HttpVersions::kHttp2: return kHttp2;
    case HttpVersions::kEither: return kEither;
  }
  return kHttp1;
}

const unsigned char* BytesOf(std::string_view text) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are chars
  return reinterpret_cast<const unsigned char*>(text.data());
}

// NOLINTNEXTLINE(readability-function-size): as OpenSSL calls it
int ChooseProtocol(SSL*,
                   const unsigned char** chosen,
                   unsigned char* chosen_size,
                   const unsigned char* offered,
                   unsigned int offered_size,
                   void* names) {
  const std::string_view ours = *static_cast<const std::string_view*>(names);
  unsigned char* match = nullptr;
  if (SSL_select_next_proto(&match,
                            chosen_size,
                            BytesOf(ours),
                            static_cast<unsigned int>(ours.size()),
                            offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;  // RFC 7301 3.2: no_application_protocol
  }
  *chosen = match;
  return SSL_TLSEXT_ERR_OK;
}

/// Lets the handshake finish whatever is wrong with a client's certificate: the verdict stays in
/// the session, and the server answers 401 where a broken handshake would explain nothing.
int AcceptAnyCertificate(int, X509_STORE_CTX*) {
  return 1;
}

Result<SslContextPtr> NewContext(const SSL_METHOD* method) {
  SslContextPtr context(SSL_CTX_new(method));
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) {
    return Fail(TakeOpenSslError("making a TLS context"));
  }
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                       SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

Result<> UseCredentials(SSL_CTX* context, const Credentials& credentials) {
  DRAY_TRY(const std::vector<CertificatePtr> chain, ParseCertificates(credentials.certificate_pem));
  DRAY_TRY(const KeyPtr key, ParseKey(credentials.key_pem));
  if (X509_check_private_key(chain.front().get(), key.get()) != 1) {
    TakeOpenSslError("");
    return Fail(StatusReason::kBadRequest, "the private key does not belong to the certificate");
  }
  bool ok = SSL_CTX_use_certificate(context, chain.front().get()) == 1 &&
            SSL_CTX_use_PrivateKey(context, key.get()) == 1;
  for (size_t i = 1; i < chain.size(); ++i) {
    ok = ok && SSL_CTX_add1_chain_cert(context, chain[i].get()) == 1;
  }
  if (!ok) return Fail(TakeOpenSslError("using a certificate"));
  return {};
}

enum class Announce : uint8_t { kNo, kYes };

/// Trusts the certificates of `pem`, and perhaps names them in certificate requests.
Result<> Trust(SSL_CTX* context, std::string_view pem, Announce announce) {
  DRAY_TRY(const std::vector<CertificatePtr> authorities, ParseCertificates(pem));
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  for (const CertificatePtr& authority : authorities) {
    const bool ok =
        X509_STORE_add_cert(store, authority.get()) == 1 &&
        (announce == Announce::kNo || SSL_CTX_add_client_CA(context, authority.get()) == 1);
    if (!ok) return Fail(TakeOpenSslError("trusting an authority"));
  }
  return {};
}

Result<Frozen<State>> MakeServerState(const ServerOptions& options) {
  DRAY_TRY(SslContextPtr context, NewContext(TLS_server_method()));
  DRAY_TRY_VOID(UseCredentials(context.get(), options.credentials));
  // OpenSSL hands it back to the callback, which only reads.
  SSL_CTX_set_alpn_select_cb(
      context.get(), ChooseProtocol, const_cast<std::string_view*>(&NamesOf(options.versions)));
  if (!options.client_ca_pem.empty()) {
    DRAY_TRY_VOID(Trust(context.get(), options.client_ca_pem, Announce::kYes));
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, AcceptAnyCertificate);
  }
  // Nothing is kept of a connection that is gone: a session would hold the client's certificates,
  // in memory here or in tickets. Kubernetes' clients do not resume.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_max_cert_list(context.get(), static_cast<long>(kClientCertificatesBytesMax));
  return std::make_shared<const State>(State{.context = std::move(context)});
}

}  // namespace

Result<std::shared_ptr<ServerContext>> ServerContext::Create(const ServerOptions& options) {
  DRAY_TRY(Frozen<State> state, MakeServerState(options));
  return std::shared_ptr<ServerContext>(new ServerContext(std::move(state)));
}

Result<> ServerContext::Replace(const ServerOptions& options) {
  DRAY_TRY(Frozen<State> state, MakeServerState(options));
  state_.Store(std::move(state));
  return {};
}

Result<std::shared_ptr<const ClientContext>> ClientContext::Create(const ClientOptions& options) {
  DRAY_TRY(SslContextPtr context, NewContext(TLS_client_method()));
  const Credentials& own = options.client_certificate;
  if (!own.certificate_pem.empty() || !own.key_pem.empty()) {
    DRAY_TRY_VOID(UseCredentials(context.get(), own));
  }
  if (options.ca_pem.empty()) {
    SSL_CTX_set_default_verify_paths(context.get());
  } else {
    DRAY_TRY_VOID(Trust(context.get(), options.ca_pem, Announce::kNo));
  }
  // A certificate in `ca_pem` is trusted whether it signed itself or not, as Go does.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  const bool verify = options.check == ServerCheck::kVerify;
  SSL_CTX_set_verify(context.get(), verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  const std::string_view names = NamesOf(options.versions);
  if (SSL_CTX_set_alpn_protos(
          context.get(), BytesOf(names), static_cast<unsigned int>(names.size())) != 0) {
    return Fail(TakeOpenSslError("setting ALPN"));
  }
  Frozen<State> state = std::make_shared<const State>(State{.context = std::move(context)});
  return std::shared_ptr<const ClientContext>(new ClientContext(std::move(state)));
}

}  // namespace dray::net::tls
