// SPDX-License-Identifier: Apache-2.0
#include "control_plane/tls_files.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/log.h"
#include "base/simulated_world.h"
#include "net/tls/certificates.h"
#include "net/tls/context.h"
#include "net/tls/openssl.h"
#include "net/tls/transport.h"

namespace dray::control_plane {
namespace {

using ::testing::HasSubstr;

class TlsFilesTest : public ::testing::Test {
 protected:
  net::tls::Credentials Ca() {
    return net::tls::MakeCa(world_.random, world_.clock.Now(), {}).value();
  }
  net::tls::Credentials Serving(const net::tls::Credentials& ca) {
    return net::tls::MakeServingCertificate(world_.random, world_.clock.Now(), ca, {}).value();
  }
  void Put(const std::string& path, const std::string& text) {
    ASSERT_TRUE(world_.disk.Write(path, text, Disk::Privacy::kOwnerOnly).has_value());
  }
  TlsFiles Files(TlsFileNames names) {
    return TlsFiles(world_, log_, std::move(names), own_, net::tls::HttpVersions::kEither);
  }
  /// The certificate that new connections get.
  static std::string Shown(const net::tls::ServerContext& context) {
    X509* const shown = SSL_CTX_get0_certificate(context.state()->context.get());
    return net::tls::CertificateToPem(shown).value();
  }
  /// The number of authorities sent to clients.
  static int Authorities(const net::tls::ServerContext& context) {
    return sk_X509_NAME_num(SSL_CTX_get_client_CA_list(context.state()->context.get()));
  }

  SimulatedWorld simulated_{1};
  World& world_ = simulated_.world();
  Log log_ = Log::Silent();
  const net::tls::Credentials ca_ = Ca();
  const ServerCredentials own_{.ca = ca_, .serving = Serving(ca_), .admin = {}};
};

TEST_F(TlsFilesTest, WithoutFilesTheOwnOnesAreShown) {
  TlsFiles files = Files({});
  const auto context = files.Load().value();
  EXPECT_EQ(Shown(*context), own_.serving.certificate_pem);
  EXPECT_EQ(Authorities(*context), 1);
  EXPECT_EQ(files.TrustedByClients(), own_.ca.certificate_pem);
}

TEST_F(TlsFilesTest, ChangedFilesAreShownToNewConnections) {
  const net::tls::Credentials first = Serving(ca_), second = Serving(ca_);
  Put("crt", first.certificate_pem);
  Put("key", first.key_pem);
  TlsFiles files = Files({.certificate = "crt", .key = "key"});
  const auto context = files.Load().value();
  EXPECT_EQ(Shown(*context), first.certificate_pem);
  EXPECT_THAT(files.TrustedByClients(), HasSubstr(first.certificate_pem));
  const auto before = context->state();
  files.Reload();
  EXPECT_EQ(context->state(), before) << "nothing has changed";
  Put("crt", second.certificate_pem);
  files.Reload();
  EXPECT_EQ(Shown(*context), first.certificate_pem) << "its key is not there yet";
  Put("key", second.key_pem);
  files.Reload();
  EXPECT_EQ(Shown(*context), second.certificate_pem);
  Put("crt", "nonsense");
  files.Reload();
  EXPECT_EQ(Shown(*context), second.certificate_pem);
}

TEST_F(TlsFilesTest, ClientAuthoritiesAreTrustedBesideTheOwn) {
  Put("ca", Ca().certificate_pem);
  TlsFiles files = Files({.client_ca = "ca"});
  const auto context = files.Load().value();
  EXPECT_EQ(Authorities(*context), 2);
  EXPECT_EQ(Shown(*context), own_.serving.certificate_pem);
  const net::tls::Credentials other =
      net::tls::MakeCa(world_.random, world_.clock.Now(), {.common_name = "other"}).value();
  Put("ca", Ca().certificate_pem + other.certificate_pem);
  files.Reload();
  EXPECT_EQ(Authorities(*context), 3);
}

TEST_F(TlsFilesTest, WhatDoesNotFitIsRefusedAtTheStart) {
  Put("crt", own_.serving.certificate_pem);
  Put("key", Serving(ca_).key_pem);
  Put("empty", "");
  const auto refusal = [&](TlsFileNames names) {
    TlsFiles files = Files(std::move(names));
    const auto loaded = files.Load();
    return loaded ? "loaded" : loaded.error().message;
  };
  EXPECT_THAT(refusal({.certificate = "crt"}), HasSubstr("belong together"));
  EXPECT_THAT(refusal({.key = "key"}), HasSubstr("belong together"));
  EXPECT_THAT(refusal({.certificate = "crt", .key = "key"}),
              HasSubstr("does not belong to the certificate"));
  EXPECT_THAT(refusal({.certificate = "crt", .key = "missing"}), HasSubstr("missing"));
  EXPECT_THAT(refusal({.client_ca = "empty"}), HasSubstr("--client-ca-file empty: "));
}

}  // namespace
}  // namespace dray::control_plane
