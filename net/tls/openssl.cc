// SPDX-License-Identifier: Apache-2.0
#include "net/tls/openssl.h"

#include <array>
#include <climits>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/result.h"

namespace dray::net::tls {
namespace {

BioPtr ReadOnly(std::string_view text) {
  if (text.size() > INT_MAX) return nullptr;
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string Contents(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<size_t>(size)) : std::string();
}

/// Keeps OpenSSL from asking the terminal for a pass phrase.
int NoPassword(char*, int, int, void*) {
  return -1;
}

}  // namespace

Error TakeOpenSslError(std::string_view what) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  std::array<char, 256> text{};
  if (code != 0) ERR_error_string_n(code, text.data(), text.size());
  return Error{.reason = StatusReason::kInternalError,
               .message = fmt::format("{}: {}", what, code == 0 ? "failed" : text.data())};
}

Result<std::vector<CertificatePtr>> ParseCertificates(std::string_view pem) {
  const BioPtr bio = ReadOnly(pem);
  if (!bio) return Fail(TakeOpenSslError("reading certificates"));
  std::vector<CertificatePtr> certificates;
  while (true) {
    CertificatePtr certificate(PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr));
    if (!certificate) {
      const unsigned long code = ERR_peek_last_error();
      const bool at_end = ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
      if (!at_end || certificates.empty()) {
        Error error = TakeOpenSslError("reading certificates");
        error.reason = StatusReason::kBadRequest;
        return Fail(std::move(error));
      }
      ERR_clear_error();
      break;
    }
    if (certificates.size() == kCertificatesMax) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("reading certificates: more than {} of them", kCertificatesMax));
    }
    certificates.push_back(std::move(certificate));
  }
  return certificates;
}

Result<KeyPtr> ParseKey(std::string_view pem) {
  const BioPtr bio = ReadOnly(pem);
  KeyPtr key(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr) : nullptr);
  if (!key) {
    Error error = TakeOpenSslError("reading a private key");
    error.reason = StatusReason::kBadRequest;
    return Fail(std::move(error));
  }
  return key;
}

Result<CertificateRequestPtr> ParseCertificateRequest(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kType = "CERTIFICATE REQUEST-----";
  const size_t begin = pem.find(kBegin);
  if (begin == std::string_view::npos || !pem.substr(begin + kBegin.size()).starts_with(kType)) {
    return Fail(StatusReason::kBadRequest, "PEM block type must be CERTIFICATE REQUEST");
  }
  const BioPtr bio = ReadOnly(pem.substr(begin));
  CertificateRequestPtr request(bio ? PEM_read_bio_X509_REQ(bio.get(), nullptr, NoPassword, nullptr)
                                    : nullptr);
  if (!request) {
    Error error = TakeOpenSslError("reading a request for a certificate");
    error.reason = StatusReason::kBadRequest;
    return Fail(std::move(error));
  }
  return request;
}

Result<std::string> CertificateToPem(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), certificate) != 1) {
    return Fail(TakeOpenSslError("writing a certificate"));
  }
  return Contents(bio.get());
}

Result<std::string> KeyToPem(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_secmem()));
  if (!bio ||
      PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return Fail(TakeOpenSslError("writing a private key"));
  }
  return Contents(bio.get());
}

std::vector<std::string> NameValues(const X509_NAME* name, int nid) {
  std::vector<std::string> values;
  for (int at = X509_NAME_get_index_by_NID(name, nid, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(name, nid, at)) {
    unsigned char* utf8 = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (size >= 0)
      values.emplace_back(reinterpret_cast<const char*>(utf8), static_cast<size_t>(size));
    OPENSSL_free(utf8);
  }
  return values;
}

}  // namespace dray::net::tls
