// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/versions.h"

#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

namespace dray::store::etcd::rpc {
namespace {

using Version = std::array<int, 3>;  // major, minor, patch

/// The numbers of "3.5.13" or "3.6.0-rc.1"; all zero if `text` is not a version.
Version Parse(std::string_view text) {
  Version version{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int& number : version) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};
    at = next == end ? end : next + 1;  // the dot
  }
  return version;
}

}  // namespace

bool HasReliableProgress(std::string_view version) {
  const Version parsed = Parse(version);
  if (parsed < Version{3, 5, 0}) return parsed >= Version{3, 4, 31};
  return parsed >= Version{3, 5, 13};
}

}  // namespace dray::store::etcd::rpc
