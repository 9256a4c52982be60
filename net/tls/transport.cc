// SPDX-License-Identifier: Apache-2.0
#include "net/tls/transport.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "base/world.h"
#include "net/http.h"
#include "net/socket.h"
#include "net/tls/openssl.h"
#include "net/tls/socket_bio.h"
#include "net/transport.h"

namespace dray::net::tls {
namespace {

std::string Sha256Hex(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

WallTime NotAfter(const X509* certificate) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1) return {};
  return WallTime(std::chrono::seconds(timegm(&parts)));
}

/// Values of an attribute that has no number in OpenSSL's tables.
std::string FirstValueOf(const X509_NAME* name, const char* oid) {
  ASN1_OBJECT* const object = OBJ_txt2obj(oid, 1);
  std::string value;
  const int at = object == nullptr ? -1 : X509_NAME_get_index_by_OBJ(name, object, -1);
  if (at >= 0) {
    const ASN1_STRING* const text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
    value.assign(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                 static_cast<size_t>(ASN1_STRING_length(text)));
  }
  ASN1_OBJECT_free(object);
  return value;
}

ClientIdentity Identify(const X509* certificate) {
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  std::vector<std::string> common_names = NameValues(subject, NID_commonName);
  return ClientIdentity{
      .common_name = common_names.empty() ? std::string() : std::move(common_names.back()),
      .organizations = NameValues(subject, NID_organizationName),
      .uid = FirstValueOf(subject, "1.3.6.1.4.1.57683.2"),
      .sha256_hex = Sha256Hex(certificate),
      .not_after = NotAfter(certificate)};
}

class TlsTransport final : public Transport {
 public:
  TlsTransport(SslPtr ssl, Socket& socket) : socket_(socket), ssl_(std::move(ssl)) {}

  /// False when memory is short.
  bool Attach() {
    BIO* const bio = MakeSocketBio(socket_).release();
    SSL_set_bio(ssl_.get(), bio, bio);
    return bio != nullptr;
  }

  IoStatus Handshake() override {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    return result == 1 ? IoStatus::kDone : Explain(result, "TLS handshake");
  }

  IoResult Read(std::span<char> into) override {
    ERR_clear_error();
    const int result =
        SSL_read(ssl_.get(), into.data(), static_cast<int>(std::min<size_t>(into.size(), INT_MAX)));
    if (result <= 0) return {.status = Explain(result, "TLS read")};
    return {.status = IoStatus::kDone, .size = static_cast<size_t>(result)};
  }

  IoResult Write(std::string_view bytes) override {
    ERR_clear_error();
    const int result = SSL_write(
        ssl_.get(), bytes.data(), static_cast<int>(std::min<size_t>(bytes.size(), INT_MAX)));
    if (result > 0) return {.status = IoStatus::kDone, .size = static_cast<size_t>(result)};
    const IoStatus status = Explain(result, "TLS write");
    return {.status = status == IoStatus::kEnd ? IoStatus::kBroken : status};
  }

  void EndWriting() override {
    ERR_clear_error();
    if (failure_.empty() && SSL_is_init_finished(ssl_.get()) == 1) SSL_shutdown(ssl_.get());
    ERR_clear_error();
    socket_.EndWriting();
  }

  void DescribePeer(Peer& peer) const override {
    peer.scheme = Scheme::kHttps;
    const X509* const certificate = SSL_get0_peer_certificate(ssl_.get());
    if (certificate == nullptr) return;
    const long verdict = SSL_get_verify_result(ssl_.get());
    if (verdict == X509_V_OK) {
      peer.certificate = Identify(certificate);
    } else {
      peer.certificate_error = X509_verify_cert_error_string(verdict);
    }
  }

  std::string_view protocol() const override {
    const unsigned char* name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are chars
    return {reinterpret_cast<const char*>(name), size};
  }

  std::string failure() const override { return failure_; }

 private:
  IoStatus Explain(int result, std::string_view what) {
    const int socket_error = errno;
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ: return IoStatus::kWantRead;
      case SSL_ERROR_WANT_WRITE: return IoStatus::kWantWrite;
      case SSL_ERROR_ZERO_RETURN: return IoStatus::kEnd;
      case SSL_ERROR_SYSCALL:
        failure_ = fmt::format("{}: {}",
                               what,
                               socket_error == 0 ? "connection closed"
                                                 : std::generic_category().message(socket_error));
        return IoStatus::kBroken;
      default: failure_ = TakeOpenSslError(what).message; break;
    }
    const long verdict = SSL_get_verify_result(ssl_.get());
    if (SSL_is_server(ssl_.get()) == 0 && verdict != X509_V_OK) {
      failure_ = fmt::format("x509: {}", X509_verify_cert_error_string(verdict));
    }
    return IoStatus::kBroken;
  }

  Socket& socket_;
  SslPtr ssl_;
  std::string failure_;
};

SslPtr NewSsl(const State& state, WallTime now) {
  SslPtr ssl(SSL_new(state.context.get()));
  if (!ssl) return nullptr;
  X509_VERIFY_PARAM_set_time(
      SSL_get0_param(ssl.get()),
      std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
  return ssl;
}

std::unique_ptr<Transport> MakeTransport(SslPtr ssl, Socket& socket) {
  auto transport = std::make_unique<TlsTransport>(std::move(ssl), socket);
  return transport->Attach() ? std::move(transport) : nullptr;
}

bool IsAddressLiteral(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

}  // namespace

std::unique_ptr<Transport> MakeServerTransport(const State& state, Socket& socket, WallTime now) {
  SslPtr ssl = NewSsl(state, now);
  if (!ssl) return nullptr;
  SSL_set_read_ahead(ssl.get(), 1);  // head and content of a record in one call of the kernel
  SSL_set_accept_state(ssl.get());
  return MakeTransport(std::move(ssl), socket);
}

std::unique_ptr<Transport> MakeClientTransport(const State& state,
                                               Socket& socket,
                                               const std::string& host,
                                               WallTime now) {
  SslPtr ssl = NewSsl(state, now);
  if (!ssl) return nullptr;
  SSL_set_connect_state(ssl.get());
  X509_VERIFY_PARAM* const rules = SSL_get0_param(ssl.get());
  const bool ok = IsAddressLiteral(host)
                      ? X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) == 1
                      : X509_VERIFY_PARAM_set1_host(rules, host.c_str(), host.size()) == 1 &&
                            SSL_ctrl(ssl.get(),
                                     SSL_CTRL_SET_TLSEXT_HOSTNAME,
                                     TLSEXT_NAMETYPE_host_name,
                                     const_cast<char*>(host.c_str())) == 1;
  if (!ok) return nullptr;
  return MakeTransport(std::move(ssl), socket);
}

}  // namespace dray::net::tls
