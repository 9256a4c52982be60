// SPDX-License-Identifier: Apache-2.0
// Owners for OpenSSL's objects, PEM in and out, and its error queue as text.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/result.h"

namespace dray::net::tls {

template <auto Free>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using BioPtr = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Freer<X509_free>>;
using CertificateRequestPtr = std::unique_ptr<X509_REQ, Freer<X509_REQ_free>>;
using SslPtr = std::unique_ptr<SSL, Freer<SSL_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, Freer<SSL_CTX_free>>;

/// Empties OpenSSL's error queue of this thread into one line; `what` failed.
Error TakeOpenSslError(std::string_view what);

/// Certificates of one PEM text: no real bundle has more.
inline constexpr size_t kCertificatesMax = 1024;

/// Every certificate of a PEM text, in order; other blocks are skipped.
/// Errors: kBadRequest  none in it, one that does not parse, or more than kCertificatesMax.
Result<std::vector<CertificatePtr>> ParseCertificates(std::string_view pem);

/// A private key without a pass phrase.
/// Errors: kBadRequest  not such a key.
Result<KeyPtr> ParseKey(std::string_view pem);

/// Reads a request for a certificate, which must be the first block of `pem`.
/// Errors: kBadRequest  it is none.
Result<CertificateRequestPtr> ParseCertificateRequest(std::string_view pem);

Result<std::string> CertificateToPem(X509* certificate);
/// PKCS #8.
Result<std::string> KeyToPem(EVP_PKEY* key);

/// All values of one attribute (NID_commonName, …) of a name, as UTF-8, in order.
std::vector<std::string> NameValues(const X509_NAME* name, int nid);

}  // namespace dray::net::tls
