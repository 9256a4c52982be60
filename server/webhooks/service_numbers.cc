// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/service_numbers.h"

#include <fmt/format.h>

namespace dray::server::webhooks {
namespace {

constexpr uint64_t kAddresses = (uint64_t{1} << 20) - 256;

}  // namespace

uint64_t NumberOf(std::string_view text) {
  uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

std::string MadeClusterIp(std::string_view uid) {
  const uint64_t number = 256 + NumberOf(uid) % kAddresses;
  return fmt::format("10.{}.{}.{}", number >> 16, (number >> 8) & 255, number & 255);
}

}  // namespace dray::server::webhooks
