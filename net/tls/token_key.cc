// SPDX-License-Identifier: Apache-2.0
#include "net/tls/token_key.h"

#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include "base/text/base64.h"
#include "base/try.h"

namespace dray::net::tls {
namespace {

using DigestPtr = std::unique_ptr<EVP_MD_CTX, Freer<EVP_MD_CTX_free>>;
using NumberPtr = std::unique_ptr<BIGNUM, Freer<BN_free>>;
using EcSignaturePtr = std::unique_ptr<ECDSA_SIG, Freer<ECDSA_SIG_free>>;

constexpr int kEcBytes = 32;  // of a number of P-256

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* Bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

// `width` bytes, or as many as it takes where that is 0.
std::string BytesOf(const BIGNUM* number, int width) {
  std::string bytes(static_cast<size_t>(width == 0 ? BN_num_bytes(number) : width), '\0');
  BN_bn2binpad(number, Bytes(bytes), static_cast<int>(bytes.size()));
  return bytes;
}

std::string Parameter(const EVP_PKEY* key, const char* name, int width) {
  BIGNUM* number = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &number) != 1) return {};
  const NumberPtr owned(number);
  return EncodeBase64Url(BytesOf(number, width));
}

std::string PublicKeyId(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  if (size <= 0) return {};
  const std::string bytes(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return EncodeBase64Url(Sha256(bytes));
}

bool IsP256(const EVP_PKEY* key) {
  std::array<char, 64> group{};
  size_t size = 0;
  return EVP_PKEY_get_id(key) == EVP_PKEY_EC &&
         EVP_PKEY_get_group_name(key, group.data(), group.size(), &size) == 1 &&
         std::string_view(group.data(), size) == "prime256v1";
}

// OpenSSL's form of a signature by P-256 as that of tokens: two numbers, each as wide as the curve.
std::string Flat(std::string_view der) {
  const unsigned char* at = Bytes(der);
  const EcSignaturePtr signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (signature == nullptr) return {};
  return BytesOf(ECDSA_SIG_get0_r(signature.get()), kEcBytes) +
         BytesOf(ECDSA_SIG_get0_s(signature.get()), kEcBytes);
}

std::string Der(std::string_view flat) {
  if (flat.size() != size_t{2} * kEcBytes) return {};
  const EcSignaturePtr signature(ECDSA_SIG_new());
  if (signature == nullptr) return {};
  BIGNUM* const r = BN_bin2bn(Bytes(flat), kEcBytes, nullptr);
  BIGNUM* const s = BN_bin2bn(Bytes(flat.substr(kEcBytes)), kEcBytes, nullptr);
  ECDSA_SIG_set0(signature.get(), r, s);
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &der);
  if (size <= 0) return {};
  std::string bytes(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return bytes;
}

}  // namespace

std::string Sha256(std::string_view bytes) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(Bytes(bytes), bytes.size(), Bytes(digest));
  return digest;
}

Result<TokenKey> TokenKey::FromPem(std::string_view pem) {
  DRAY_TRY(KeyPtr parsed, ParseKey(pem));
  TokenKey key;
  key.is_rsa_ = EVP_PKEY_get_id(parsed.get()) == EVP_PKEY_RSA;
  const bool is_good =
      key.is_rsa_ ? EVP_PKEY_get_bits(parsed.get()) >= kRsaBitsMin : IsP256(parsed.get());
  if (!is_good) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("keys of tokens are of P-256, or RSA of {} bits or more", kRsaBitsMin));
  }
  key.id_ = PublicKeyId(parsed.get());
  EVP_PKEY* const own = parsed.get();
  if (key.is_rsa_) {
    key.jwk_ = {{"use", "sig"},
                {"kty", "RSA"},
                {"kid", key.id_},
                {"alg", "RS256"},
                {"n", Parameter(own, OSSL_PKEY_PARAM_RSA_N, 0)},
                {"e", Parameter(own, OSSL_PKEY_PARAM_RSA_E, 0)}};
  } else {
    key.jwk_ = {{"use", "sig"},
                {"kty", "EC"},
                {"kid", key.id_},
                {"crv", "P-256"},
                {"alg", "ES256"},
                {"x", Parameter(own, OSSL_PKEY_PARAM_EC_PUB_X, kEcBytes)},
                {"y", Parameter(own, OSSL_PKEY_PARAM_EC_PUB_Y, kEcBytes)}};
  }
  key.key_ = std::move(parsed);
  return key;
}

Result<std::string> TokenKeyId(std::string_view pem) {
  if (auto certificates = ParseCertificates(pem)) {
    return PublicKeyId(X509_get0_pubkey(certificates->front().get()));
  }
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const KeyPtr key(bio ? PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr) : nullptr);
  if (key != nullptr) return PublicKeyId(key.get());
  ERR_clear_error();
  DRAY_TRY(const KeyPtr own, ParseKey(pem));
  return PublicKeyId(own.get());
}

Result<std::string> TokenKey::Sign(std::string_view text) const {
  const DigestPtr digest(EVP_MD_CTX_new());
  size_t size = 0;
  if (digest == nullptr ||
      EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1 ||
      EVP_DigestSign(digest.get(), nullptr, &size, Bytes(text), text.size()) != 1) {
    return Fail(TakeOpenSslError("cannot sign a token"));
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(digest.get(), Bytes(signature), &size, Bytes(text), text.size()) != 1) {
    return Fail(TakeOpenSslError("cannot sign a token"));
  }
  signature.resize(size);
  return is_rsa_ ? signature : Flat(signature);
}

bool TokenKey::Verify(std::string_view text, std::string_view signature) const {
  const std::string form = is_rsa_ ? std::string(signature) : Der(signature);
  if (form.empty()) return false;
  const DigestPtr digest(EVP_MD_CTX_new());
  return digest != nullptr &&
         EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(digest.get(), Bytes(form), form.size(), Bytes(text), text.size()) == 1;
}

}  // namespace dray::net::tls
