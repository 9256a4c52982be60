// SPDX-License-Identifier: Apache-2.0
#include "net/tls/certificates.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "base/simulated_world.h"
#include "base/world.h"
#include "net/tls/openssl.h"

namespace dray::net::tls {
namespace {

using ::testing::ElementsAre;

class CertificatesTest : public ::testing::Test {
 protected:
  SeededRandom random_{7};
  WallTime now_ = SimulatedClock().Now();
  Credentials ca_ = MakeCa(random_, now_, {}).value();

  /// The verdict of the strict rules (RFC 5280, as Python 3.13 turns them on).
  std::string Verify(const Credentials& leaf, int purpose) const {
    const auto chain = ParseCertificates(leaf.certificate_pem).value();
    const auto roots = ParseCertificates(ca_.certificate_pem).value();
    X509_STORE* const store = X509_STORE_new();
    X509_STORE_add_cert(store, roots.front().get());
    X509_STORE_CTX* const context = X509_STORE_CTX_new();
    X509_STORE_CTX_init(context, store, chain.front().get(), nullptr);
    X509_VERIFY_PARAM* const rules = X509_STORE_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_X509_STRICT | X509_V_FLAG_CHECK_SS_SIGNATURE);
    X509_VERIFY_PARAM_set_purpose(rules, purpose);
    X509_VERIFY_PARAM_set_time(
        rules, std::chrono::floor<std::chrono::seconds>(now_).time_since_epoch().count());
    X509_verify_cert(context);
    const std::string verdict = X509_verify_cert_error_string(X509_STORE_CTX_get_error(context));
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    return verdict;
  }
};

TEST_F(CertificatesTest, TheStrictRulesAcceptThem) {
  const auto server = MakeServingCertificate(random_, now_, ca_, {}).value();
  const auto client = MakeClientCertificate(random_, now_, ca_, {.common_name = "c"}).value();
  EXPECT_EQ(Verify(server, X509_PURPOSE_SSL_SERVER), "ok");
  EXPECT_EQ(Verify(client, X509_PURPOSE_SSL_CLIENT), "ok");
  EXPECT_NE(Verify(client, X509_PURPOSE_SSL_SERVER), "ok");
  EXPECT_NE(Verify(server, X509_PURPOSE_SSL_CLIENT), "ok");
}

// Some TLS clients require key identifiers and critical constraints.
TEST_F(CertificatesTest, TheAuthorityCarriesKeyIdentifiersAndCriticalConstraints) {
  const auto parsed = ParseCertificates(ca_.certificate_pem).value();
  X509* const ca = parsed.front().get();
  EXPECT_NE(X509_get0_subject_key_id(ca), nullptr);
  EXPECT_NE(X509_get0_authority_key_id(ca), nullptr);
  const int at = X509_get_ext_by_NID(ca, NID_basic_constraints, -1);
  ASSERT_GE(at, 0);
  EXPECT_EQ(X509_EXTENSION_get_critical(X509_get_ext(ca, at)), 1);
  EXPECT_TRUE(ReadCertificate(ca_.certificate_pem)->is_ca);
}

// rustls and Python compare the server's name with these names only.
TEST_F(CertificatesTest, ServersHaveTheStandingNamesAndTheGivenOnes) {
  const auto server = MakeServingCertificate(
      random_, now_, ca_, {.names = {"dray.example", "10.0.0.1", "fd00::1", "localhost"}});
  const auto info = ReadCertificate(server.value().certificate_pem).value();
  EXPECT_THAT(info.names,
              ElementsAre("localhost",
                          "kubernetes",
                          "kubernetes.default",
                          "kubernetes.default.svc",
                          "kubernetes.default.svc.cluster.local",
                          "dray.example",
                          "127.0.0.1",
                          "::1",
                          "10.0.0.1",
                          "fd00::1"));
  EXPECT_FALSE(info.is_ca);
  EXPECT_EQ(info.not_before, now_ - kCertificateBackdating);
  EXPECT_EQ(info.not_after, now_ + kLeafLifetime);
}

TEST_F(CertificatesTest, NamesCannotSmuggleInOthers) {
  for (const std::string bad : {"a,DNS:b", "", "a b", ".a", "a.", "1.2.3.4/8", "a\n"}) {
    EXPECT_FALSE(MakeServingCertificate(random_, now_, ca_, {.names = {bad}}).has_value()) << bad;
  }
  EXPECT_TRUE(
      MakeServingCertificate(random_, now_, ca_, {.names = {std::string(253, 'a')}}).has_value());
  EXPECT_FALSE(
      MakeServingCertificate(random_, now_, ca_, {.names = {std::string(254, 'a')}}).has_value());
}

TEST_F(CertificatesTest, AServerHasOnlySoManyNames) {
  constexpr size_t kStanding = 7;  // those that each server has
  ServingOptions options;
  for (size_t i = kStanding; i < kAlternativeNamesMax; ++i) {
    options.names.push_back(fmt::format("n{}", i));
  }
  const auto server = MakeServingCertificate(random_, now_, ca_, options);
  ASSERT_TRUE(server.has_value()) << server.error().message;
  EXPECT_EQ(ReadCertificate(server->certificate_pem)->names.size(), kAlternativeNamesMax);
  options.names.emplace_back("one-more");
  const auto refused = MakeServingCertificate(random_, now_, ca_, options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "more than 256 names for one certificate");
}

TEST_F(CertificatesTest, ANameOfAServerHasTheLengthOfDns) {
  const auto made = [&](size_t size) {
    return MakeServingCertificate(random_, now_, ca_, {.names = {std::string(size, 'a')}});
  };
  EXPECT_TRUE(made(kDnsNameMax).has_value());
  EXPECT_FALSE(made(kDnsNameMax + 1).has_value());
}

TEST_F(CertificatesTest, AFileHasOnlySoManyCertificates) {
  std::string bundle;
  for (size_t i = 0; i < kCertificatesMax; ++i) bundle += ca_.certificate_pem;
  EXPECT_EQ(ParseCertificates(bundle)->size(), kCertificatesMax);
  const auto refused = ParseCertificates(bundle + ca_.certificate_pem);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, StatusReason::kBadRequest);
  EXPECT_EQ(refused.error().message, "reading certificates: more than 1024 of them");
}

TEST_F(CertificatesTest, ClientsCarryUserAndGroups) {
  const auto client = MakeClientCertificate(
      random_,
      now_,
      ca_,
      {.common_name = "kubernetes-admin", .organizations = {"system:masters", "b"}});
  const auto info = ReadCertificate(client.value().certificate_pem).value();
  EXPECT_EQ(info.common_name, "kubernetes-admin");
  EXPECT_THAT(info.organizations, ElementsAre("system:masters", "b"));
}

TEST_F(CertificatesTest, NamesOfClientsHaveTheLengthOfX509) {
  for (const size_t size : {0U, 1U, 64U, 65U}) {
    const bool ok = size == 1 || size == 64;
    const std::string name(size, 'n');
    EXPECT_EQ(MakeClientCertificate(random_, now_, ca_, {.common_name = name}).has_value(), ok);
    EXPECT_EQ(
        MakeClientCertificate(random_, now_, ca_, {.common_name = "c", .organizations = {name}})
            .has_value(),
        ok);
  }
}

TEST_F(CertificatesTest, KnowWhoSignedThem) {
  const auto leaf = MakeClientCertificate(random_, now_, ca_, {.common_name = "c"}).value();
  const auto other = MakeCa(random_, now_, {}).value();
  EXPECT_TRUE(BelongsTo(leaf, ca_));
  EXPECT_FALSE(BelongsTo(leaf, other));
  EXPECT_FALSE(BelongsTo({leaf.certificate_pem, ca_.key_pem}, ca_));
  EXPECT_FALSE(BelongsTo({"nonsense", ""}, ca_));
  EXPECT_FALSE(
      MakeServingCertificate(random_, now_, {ca_.certificate_pem, other.key_pem}, {}).has_value());
}

TEST_F(CertificatesTest, NonsenseIsRefused) {
  EXPECT_FALSE(ReadCertificate("").has_value());
  EXPECT_FALSE(ReadCertificate("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
                   .has_value());
  EXPECT_FALSE(ReadCertificate(ca_.key_pem).has_value());
  EXPECT_TRUE(MakeKey()->starts_with("-----BEGIN PRIVATE KEY-----"));
}

}  // namespace
}  // namespace dray::net::tls
