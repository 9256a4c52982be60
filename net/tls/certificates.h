// SPDX-License-Identifier: Apache-2.0
// Certificates for a cluster's first start: an authority, what the server shows, what clients show.
// ECDSA on P-256 throughout (RFC 5280 profiles): quick to make, and every client accepts it. Serial
// numbers come from `random` and dates from `now`; the keys from OpenSSL's own generator.
//
// The strictest readers set the form: Python 3.13 wants authority and subject key identifiers and
// a critical basicConstraints, rustls wants subject alternative names.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/world.h"

namespace dray::net::tls {

/// PEM texts; the key is PKCS #8 without a pass phrase. The key is secret: Privacy::kOwnerOnly.
struct Credentials {
  std::string certificate_pem;
  std::string key_pem;
};

inline constexpr std::chrono::days kCaLifetime{3650};
inline constexpr std::chrono::days kLeafLifetime{365};
/// Certificates count from a little before now: clocks of a cluster differ.
inline constexpr std::chrono::minutes kCertificateBackdating{5};
/// Alternative names of one certificate, and characters of one name (RFC 1035).
inline constexpr size_t kAlternativeNamesMax = 256;
inline constexpr size_t kDnsNameMax = 253;

struct CaOptions {
  std::string common_name = "dray-ca";
  std::chrono::seconds lifetime = kCaLifetime;
};

/// A self-signed authority that may sign end entities only (path length 0).
Result<Credentials> MakeCa(Random& random, WallTime now, const CaOptions& options);

struct ServingOptions {
  std::string common_name = "kube-apiserver";
  std::vector<std::string> names;  // DNS names or IP addresses, beside the standing ones
  std::chrono::seconds lifetime = kLeafLifetime;
};

/// A certificate for a server. It names, beside `names`: localhost, 127.0.0.1, ::1, kubernetes,
/// kubernetes.default, kubernetes.default.svc and kubernetes.default.svc.cluster.local.
/// Errors: kBadRequest  `ca` does not parse, or a name is neither a DNS name nor an address.
Result<Credentials> MakeServingCertificate(Random& random,
                                           WallTime now,
                                           const Credentials& ca,
                                           const ServingOptions& options);

struct ClientCertificateOptions {
  std::string common_name;                 // the user
  std::vector<std::string> organizations;  // the groups
  std::chrono::seconds lifetime = kLeafLifetime;
};

/// A certificate a client proves its user and groups with.
/// Errors: kBadRequest  `ca` does not parse; a name is empty or longer than X.509 allows (64).
Result<Credentials> MakeClientCertificate(Random& random,
                                          WallTime now,
                                          const Credentials& ca,
                                          const ClientCertificateOptions& options);

/// A new P-256 private key as PEM (PKCS #8): for signing tokens.
Result<std::string> MakeKey();

/// What a program wants to know of a certificate it finds on disk.
struct CertificateInfo {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> names;  // alternative names: DNS names, then addresses as text
  WallTime not_before, not_after;
  bool is_ca = false;
};

/// Reads the first certificate of `pem`.
/// Errors: kBadRequest  there is none.
Result<CertificateInfo> ReadCertificate(std::string_view pem);

/// The subject of a certificate request.
struct RequestedSubject {
  std::string common_name;  // the last of several; empty: none
  std::vector<std::string> organizations;
};

/// The subject of a request for a certificate (PKCS #10 as PEM, RFC 2986).
/// Errors: kBadRequest  it is none.
Result<RequestedSubject> SubjectOfRequest(std::string_view pem);

/// True when `leaf` was signed by `ca` (both PEM) and its key belongs to it; says nothing of dates.
bool BelongsTo(const Credentials& leaf, const Credentials& ca);

}  // namespace dray::net::tls
