// SPDX-License-Identifier: Apache-2.0
#include "net/testing/simulated_keys.h"

#include <cstdint>
#include <memory>

#include <openssl/rand.h>

#include "base/simulated_world.h"
#include "net/testing/server_fixture.h"
#include "net/tls/context.h"

namespace dray::net::testing {
namespace {

/// OpenSSL's randomness from a seed, so that a run can be repeated.
class SeededOpenSsl {
 public:
  /// Installs it the first time.
  static void Seed(uint64_t seed) {
    static const SeededOpenSsl installed;
    Source() = std::make_unique<SeededRandom>(seed);
  }

 private:
  SeededOpenSsl() {
    static const RAND_METHOD kMethod = {.seed = nullptr,
                                        .bytes = Bytes,
                                        .cleanup = nullptr,
                                        .add = nullptr,
                                        .pseudorand = Bytes,
                                        .status = [] { return 1; }};
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"  // its successor is a whole provider
    RAND_set_rand_method(&kMethod);
#pragma clang diagnostic pop
  }

  static std::unique_ptr<SeededRandom>& Source() {
    static std::unique_ptr<SeededRandom> source = std::make_unique<SeededRandom>(0);
    return source;
  }
  static int Bytes(unsigned char* into, int size) {
    for (int i = 0; i < size; ++i) into[i] = static_cast<unsigned char>(Source()->Next());
    return 1;
  }
};

// The same in every process: the length of a signature is part of what happens on a connection.
SimulatedKeys MakeKeys() {
  SeededOpenSsl::Seed(0);
  SeededRandom random(0);
  const Pki pki = Pki::Make(random, kSimulatedDate);
  const auto client = [&](tls::HttpVersions versions) {
    return tls::ClientContext::Create({.ca_pem = pki.ca.certificate_pem, .versions = versions})
        .value();
  };
  return {.server = tls::ServerContext::Create({pki.server, pki.ca.certificate_pem}).value(),
          .client = client(tls::HttpVersions::kHttp1),
          .http2_client = client(tls::HttpVersions::kHttp2)};
}

}  // namespace

const SimulatedKeys& SeedKeys(uint64_t seed) {
  static const SimulatedKeys keys = MakeKeys();
  SeededOpenSsl::Seed(seed);
  return keys;
}

}  // namespace dray::net::testing
