// SPDX-License-Identifier: Apache-2.0
#include "net/tls/certificates.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/result.h"
#include "base/try.h"
#include "base/world.h"
#include "net/tls/openssl.h"

namespace dray::net::tls {
namespace {

// ub-common-name and ub-organization-name of RFC 5280.
constexpr size_t kNameValueMax = 64;

constexpr std::string_view kStandingNames[] = {
    "localhost",
    "127.0.0.1",
    "::1",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
};

struct Extension {
  int nid;
  std::string value;  // in OpenSSL's configuration syntax; holds no text from outside unchecked
};

/// Everything that differs between the three kinds of certificates.
struct Profile {
  std::string common_name;
  std::vector<std::string> organizations;
  std::chrono::seconds lifetime;
  std::vector<Extension> extensions;
};

bool SetName(X509_NAME* name, int nid, const std::string& value) {
  return X509_NAME_add_entry_by_NID(name,
                                    nid,
                                    MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()),
                                    -1,
                                    0) == 1;
}

/// 127 random bits: positive and unpredictable, as the CA/Browser rules ask.
bool SetSerial(X509* certificate, Random& random) {
  std::array<uint64_t, 2> words{random.Next() >> 1U, random.Next() | 1U};
  std::array<unsigned char, sizeof words> bytes{};
  std::memcpy(bytes.data(), words.data(), bytes.size());
  bytes[0] &= 0x7fU;
  BIGNUM* const number = BN_bin2bn(bytes.data(), bytes.size(), nullptr);
  const bool ok = number != nullptr &&
                  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  return ok;
}

bool SetDates(X509* certificate, WallTime now, std::chrono::seconds lifetime) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch();
  const std::time_t begin = (seconds - kCertificateBackdating).count();
  const std::time_t end = (seconds + lifetime).count();
  return ASN1_TIME_set(X509_getm_notBefore(certificate), begin) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), end) != nullptr;
}

bool AddExtension(X509* certificate, X509* issuer, const Extension& extension) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const made =
      X509V3_EXT_conf_nid(nullptr, &context, extension.nid, extension.value.c_str());
  if (made == nullptr) return false;
  const bool ok = X509_add_ext(certificate, made, -1) == 1;
  X509_EXTENSION_free(made);
  return ok;
}

/// The signer. Without a certificate, the new certificate signs itself.
struct Issuer {
  X509* certificate = nullptr;
  EVP_PKEY* key;
};

/// Fills and signs a certificate for `key`.
Result<CertificatePtr> Issue(
    Random& random, WallTime now, const Profile& profile, EVP_PKEY* key, const Issuer& issuer) {
  for (const std::string& value : profile.organizations) {
    if (value.empty() || value.size() > kNameValueMax) {
      return Fail(
          StatusReason::kBadRequest,
          fmt::format("organization \"{}\": must have 1 to {} bytes", value, kNameValueMax));
    }
  }
  if (profile.common_name.empty() || profile.common_name.size() > kNameValueMax) {
    return Fail(
        StatusReason::kBadRequest,
        fmt::format(
            "common name \"{}\": must have 1 to {} bytes", profile.common_name, kNameValueMax));
  }
  CertificatePtr certificate(X509_new());
  bool ok = certificate && X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
            SetSerial(certificate.get(), random) &&
            SetDates(certificate.get(), now, profile.lifetime) &&
            X509_set_pubkey(certificate.get(), key) == 1;
  X509_NAME* const subject = ok ? X509_get_subject_name(certificate.get()) : nullptr;
  for (const std::string& value : profile.organizations) {
    ok = ok && SetName(subject, NID_organizationName, value);
  }
  ok = ok && SetName(subject, NID_commonName, profile.common_name);
  X509* const signer = issuer.certificate != nullptr ? issuer.certificate : certificate.get();
  ok = ok && X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer)) == 1;
  for (const Extension& extension : profile.extensions) {
    ok = ok && AddExtension(certificate.get(), signer, extension);
  }
  ok = ok && X509_sign(certificate.get(), issuer.key, EVP_sha256()) > 0;
  if (!ok) return Fail(TakeOpenSslError("making a certificate"));
  return certificate;
}

Result<Credentials> ToPem(X509* certificate, EVP_PKEY* key) {
  Credentials credentials;
  DRAY_TRY(credentials.certificate_pem, CertificateToPem(certificate));
  DRAY_TRY(credentials.key_pem, KeyToPem(key));
  return credentials;
}

Result<KeyPtr> NewKey() {
  KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return Fail(TakeOpenSslError("making a key"));
  return key;
}

/// A leaf for a new key, signed by `ca`.
Result<Credentials> IssueLeaf(Random& random,
                              WallTime now,
                              const Credentials& ca,
                              const Profile& profile) {
  DRAY_TRY(const std::vector<CertificatePtr> chain, ParseCertificates(ca.certificate_pem));
  DRAY_TRY(const KeyPtr ca_key, ParseKey(ca.key_pem));
  if (X509_check_private_key(chain.front().get(), ca_key.get()) != 1) {
    TakeOpenSslError("");
    return Fail(StatusReason::kBadRequest,
                "the authority's key does not belong to its certificate");
  }
  DRAY_TRY(const KeyPtr key, NewKey());
  DRAY_TRY(const CertificatePtr certificate,
           Issue(random,
                 now,
                 profile,
                 key.get(),
                 {.certificate = chain.front().get(), .key = ca_key.get()}));
  return ToPem(certificate.get(), key.get());
}

bool IsAddress(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

bool IsDnsName(std::string_view text) {
  if (text.starts_with("*.")) text.remove_prefix(2);
  if (text.empty() || text.size() > kDnsNameMax || text.front() == '.' || text.back() == '.') {
    return false;
  }
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
}

/// subjectAltName in OpenSSL's syntax, each name once. Names are checked, so none can smuggle in a
/// comma and a further name.
Result<std::string> AlternativeNames(const std::vector<std::string>& given) {
  std::vector<std::string> names(std::begin(kStandingNames), std::end(kStandingNames));
  for (const std::string& name : given) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (names.size() > kAlternativeNamesMax) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("more than {} names for one certificate", kAlternativeNamesMax));
  }
  std::string text;
  for (const std::string& name : names) {
    const bool is_address = IsAddress(name);
    if (!is_address && !IsDnsName(name)) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("\"{}\" is neither a DNS name nor an IP address", name));
    }
    if (!text.empty()) text += ',';
    text.append(is_address ? "IP:" : "DNS:").append(name);
  }
  return text;
}

std::vector<Extension> LeafExtensions(std::string_view purpose) {
  return {
      {NID_basic_constraints, "critical,CA:FALSE"},
      {NID_key_usage, "critical,digitalSignature"},
      {NID_ext_key_usage, std::string(purpose)},
      {NID_subject_key_identifier, "hash"},
      {NID_authority_key_identifier, "keyid:always"},
  };
}

WallTime ToWallTime(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return WallTime(std::chrono::seconds(timegm(&parts)));
}

std::string AddressText(const ASN1_OCTET_STRING* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(bytes) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(bytes) != 16) return {};
  inet_ntop(family, ASN1_STRING_get0_data(bytes), text.data(), text.size());
  return text.data();
}

std::vector<std::string> ReadAlternativeNames(X509* certificate) {
  std::vector<std::string> names, addresses;
  auto* const found = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; found != nullptr && i < sk_GENERAL_NAME_num(found); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(found, i);
    if (name->type == GEN_DNS) {
      const ASN1_IA5STRING* const text = name->d.dNSName;
      names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                         static_cast<size_t>(ASN1_STRING_length(text)));
    } else if (name->type == GEN_IPADD) {
      addresses.push_back(AddressText(name->d.iPAddress));
    }
  }
  GENERAL_NAMES_free(found);
  names.insert(names.end(), addresses.begin(), addresses.end());
  return names;
}

}  // namespace

Result<Credentials> MakeCa(Random& random, WallTime now, const CaOptions& options) {
  const Profile profile{.common_name = options.common_name,
                        .organizations = {},
                        .lifetime = options.lifetime,
                        .extensions = {
                            {NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                            {NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign"},
                            {NID_subject_key_identifier, "hash"},
                            {NID_authority_key_identifier, "keyid:always"},
                        }};
  DRAY_TRY(const KeyPtr key, NewKey());
  DRAY_TRY(const CertificatePtr certificate,
           Issue(random, now, profile, key.get(), {.key = key.get()}));
  return ToPem(certificate.get(), key.get());
}

Result<Credentials> MakeServingCertificate(Random& random,
                                           WallTime now,
                                           const Credentials& ca,
                                           const ServingOptions& options) {
  DRAY_TRY(std::string names, AlternativeNames(options.names));
  Profile profile{.common_name = options.common_name,
                  .organizations = {},
                  .lifetime = options.lifetime,
                  .extensions = LeafExtensions("serverAuth")};
  profile.extensions.push_back({NID_subject_alt_name, std::move(names)});
  return IssueLeaf(random, now, ca, profile);
}

Result<Credentials> MakeClientCertificate(Random& random,
                                          WallTime now,
                                          const Credentials& ca,
                                          const ClientCertificateOptions& options) {
  const Profile profile{.common_name = options.common_name,
                        .organizations = options.organizations,
                        .lifetime = options.lifetime,
                        .extensions = LeafExtensions("clientAuth")};
  return IssueLeaf(random, now, ca, profile);
}

Result<std::string> MakeKey() {
  DRAY_TRY(const KeyPtr key, NewKey());
  return KeyToPem(key.get());
}

Result<CertificateInfo> ReadCertificate(std::string_view pem) {
  DRAY_TRY(const std::vector<CertificatePtr> chain, ParseCertificates(pem));
  X509* const certificate = chain.front().get();
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  const std::vector<std::string> common_names = NameValues(subject, NID_commonName);
  return CertificateInfo{.common_name = common_names.empty() ? std::string() : common_names.back(),
                         .organizations = NameValues(subject, NID_organizationName),
                         .names = ReadAlternativeNames(certificate),
                         .not_before = ToWallTime(X509_get0_notBefore(certificate)),
                         .not_after = ToWallTime(X509_get0_notAfter(certificate)),
                         .is_ca = X509_check_ca(certificate) == 1};
}

Result<RequestedSubject> SubjectOfRequest(std::string_view pem) {
  DRAY_TRY(const CertificateRequestPtr request, ParseCertificateRequest(pem));
  const X509_NAME* const subject = X509_REQ_get_subject_name(request.get());
  std::vector<std::string> names = NameValues(subject, NID_commonName);
  return RequestedSubject{.common_name = names.empty() ? std::string() : std::move(names.back()),
                          .organizations = NameValues(subject, NID_organizationName)};
}

bool BelongsTo(const Credentials& leaf, const Credentials& ca) {
  const auto chain = ParseCertificates(leaf.certificate_pem);
  const auto issuers = ParseCertificates(ca.certificate_pem);
  const auto key = ParseKey(leaf.key_pem);
  if (!chain.has_value() || !issuers.has_value() || !key.has_value()) return false;
  EVP_PKEY* const issuer_key = X509_get0_pubkey(issuers->front().get());
  const bool belongs = X509_verify(chain->front().get(), issuer_key) == 1 &&
                       X509_check_private_key(chain->front().get(), key->get()) == 1;
  if (!belongs) TakeOpenSslError("");
  return belongs;
}

}  // namespace dray::net::tls
