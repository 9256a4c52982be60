// SPDX-License-Identifier: Apache-2.0
// A line and what follows it. Both as a token: it has no valid signature, so it is never accepted.
// And as head and claims of a signed token: for any contents the bearer is a service account, and
// the token is valid only in its time.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text/base64.h"
#include "net/tls/certificates.h"
#include "net/tls/token_key.h"
#include "server/access/service_account_token.h"

namespace {

using dray::WallTime;
using dray::net::tls::TokenKey;
using dray::server::access::TokenIssuer;

constexpr std::chrono::seconds kNow{1'800'000'000};

const TokenKey& Key() {
  static const TokenKey kKey = *TokenKey::FromPem(*dray::net::tls::MakeKey());
  return kKey;
}

std::string Signed(std::string_view head, std::string_view claims) {
  std::string token = dray::EncodeBase64Url(head) + "." + dray::EncodeBase64Url(claims);
  token += "." + dray::EncodeBase64Url(*Key().Sign(token));
  return token;
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static TokenIssuer issuer(Key());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  DRAY_CHECK(!issuer.Read(text, WallTime(kNow)).has_value());
  const size_t line = std::min(text.find('\n'), text.size());
  const std::string_view claims = text.substr(std::min(line + 1, text.size()));
  const auto read = issuer.Read(Signed(text.substr(0, line), claims), WallTime(kNow));
  if (!read.has_value()) return 0;
  const dray::server::access::User user = dray::server::access::UserOf(*read);
  DRAY_CHECK(user.name.starts_with(dray::server::access::kServiceAccount));
  DRAY_CHECK(read->expires >= kNow.count() - 60);
  return 0;
}
