// SPDX-License-Identifier: Apache-2.0
#include "net/tls/token_key.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "base/simulated_world.h"
#include "base/text/base64.h"
#include "net/tls/certificates.h"

namespace dray::net::tls {
namespace {

using ::testing::Contains;
using ::testing::Pair;

std::string RsaPem(unsigned bits) {
  const KeyPtr key(EVP_RSA_gen(bits));
  return KeyToPem(key.get()).value_or("");
}

TEST(TokenKey, SignsWithP256) {
  const Result<TokenKey> key = TokenKey::FromPem(*MakeKey());
  ASSERT_TRUE(key.has_value());
  const std::string signature = key->Sign("text").value_or("");
  EXPECT_EQ(signature.size(), 64U);
  EXPECT_TRUE(key->Verify("text", signature));
  EXPECT_FALSE(key->Verify("texts", signature));
  EXPECT_FALSE(key->Verify("text", signature.substr(1)));
  EXPECT_FALSE(key->Verify("text", std::string(64, '\0')));
  EXPECT_FALSE(key->Verify("text", ""));
  EXPECT_EQ(key->algorithm(), "ES256");
  EXPECT_EQ(DecodeBase64Url(key->id()).value_or("").size(), 32U);
  EXPECT_THAT(key->jwk(), Contains(Pair("kty", "EC")));
}

TEST(TokenKey, SignsWithRsa) {
  const Result<TokenKey> key = TokenKey::FromPem(RsaPem(kRsaBitsMin));
  ASSERT_TRUE(key.has_value());
  const std::string signature = key->Sign("text").value_or("");
  EXPECT_TRUE(key->Verify("text", signature));
  EXPECT_FALSE(key->Verify("texts", signature));
  EXPECT_EQ(key->algorithm(), "RS256");
  EXPECT_THAT(key->jwk(), Contains(Pair("e", "AQAB")));
}

TEST(TokenKey, TakesNoOtherKeys) {
  EXPECT_FALSE(TokenKey::FromPem(RsaPem(kRsaBitsMin - 1024)).has_value());
  EXPECT_FALSE(TokenKey::FromPem("no key").has_value());
  const KeyPtr other(EVP_EC_gen("P-384"));
  EXPECT_FALSE(TokenKey::FromPem(*KeyToPem(other.get())).has_value());
}

TEST(TokenKey, IsKnownByItsCertificateAndByEitherHalf) {
  SeededRandom random(7);
  const Credentials ca = *MakeCa(random, SimulatedClock().Now(), {});
  const std::string id = TokenKey::FromPem(ca.key_pem)->id();
  EXPECT_EQ(TokenKeyId(ca.certificate_pem).value_or(""), id);
  EXPECT_EQ(TokenKeyId(ca.key_pem).value_or(""), id);
  const KeyPtr key = *ParseKey(ca.key_pem);
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PUBKEY(bio.get(), key.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  EXPECT_EQ(TokenKeyId({text, static_cast<size_t>(size)}).value_or(""), id);
  EXPECT_EQ(TokenKeyId("no key").error().reason, StatusReason::kBadRequest);
}

TEST(TokenKey, AnotherKeyDidNotSign) {
  const Result<TokenKey> key = TokenKey::FromPem(*MakeKey());
  const Result<TokenKey> other = TokenKey::FromPem(*MakeKey());
  EXPECT_NE(key->id(), other->id());
  EXPECT_FALSE(other->Verify("text", *key->Sign("text")));
}

}  // namespace
}  // namespace dray::net::tls
