// SPDX-License-Identifier: Apache-2.0
#include "api/validation/workloads/pod_addresses.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "api/codec/json_writer.h"

namespace dray::api::validation::inline workloads {
namespace {

enum class Family : uint8_t { kNone, kFour, kSix };

struct Address {
  Family family = Family::kNone;
  bool has_zeros = false;  // an IPv4 address with numbers such as 010
  bool is_mapped = false;  // an IPv4 address written as one of IPv6
};

// The numbers of an IPv4 address without zeros in front of them.
std::string WithoutZeros(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_first = plain.empty() || plain.back() == '.';
    const bool goes_on = i + 1 < text.size() && text[i + 1] != '.';
    if (text[i] != '0' || !is_first || !goes_on) plain += text[i];
  }
  return plain;
}

Address Parse(const std::string& text) {
  in6_addr six{};
  if (inet_pton(AF_INET6, text.c_str(), &six) == 1) {
    return {.family = IN6_IS_ADDR_V4MAPPED(&six) != 0 ? Family::kFour : Family::kSix,
            .is_mapped = IN6_IS_ADDR_V4MAPPED(&six) != 0};
  }
  in_addr four{};
  const std::string plain = WithoutZeros(text);
  if (inet_pton(AF_INET, plain.c_str(), &four) != 1) return {};
  return {.family = Family::kFour, .has_zeros = plain != text};
}

void CheckAddress(const std::string& text, const Path& path, FieldErrors& errors) {
  const Address address = Parse(text);
  if (address.family == Family::kNone) {
    errors.Invalid(
        path, Shown(text), "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    return;
  }
  if (!errors.Since(36)) return;  // gate StrictIPCIDRValidation
  if (address.has_zeros) errors.Invalid(path, Shown(text), "must not have leading 0s");
  if (address.is_mapped) {
    errors.Invalid(path, Shown(text), "must not be an IPv4-mapped IPv6 address");
  }
}

// Addresses that the pod had before are not looked at again. `List` is of PodIP or HostIP.
template <class List>
void CheckAddresses(const List& now, const List& before, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < now.size() && !errors.is_full(); ++i) {
    const bool is_known =
        std::ranges::any_of(before, [&](const auto& one) { return one == now[i]; });
    if (!is_known) CheckAddress(now[i].ip, path.Index(i), errors);
  }
  if (now.size() < 2) return;
  const auto count = [&](Family family) {
    return std::ranges::count_if(now,
                                 [&](const auto& one) { return Parse(one.ip).family == family; });
  };
  if (now.size() == 2 && count(Family::kFour) == 1 && count(Family::kSix) == 1) return;
  // As upstream's own type, whose fields have no names of JSON.
  std::string shown;
  JsonWriter json(shown);
  json.Array([&] {
    for (const auto& one : now) json.Object([&] { json.Member("IP", one.ip); });
  });
  errors.Invalid(path, shown, "may specify no more than one IP for each IP family");
}

}  // namespace

void CheckPodAddresses(const core_v1::PodStatus& status,
                       const core_v1::PodStatus& old,
                       const Path& path,
                       FieldErrors& errors) {
  CheckAddresses(status.pod_ips, old.pod_ips, path.Child("podIPs"), errors);
  if (status.host_ips.empty()) return;
  const Path hosts = path.Child("hostIPs");
  if (status.host_ip != status.host_ips.front().ip) {
    const Path first = hosts.Index(0);
    errors.Invalid(
        first.Child("ip"), Shown(status.host_ips.front().ip), "must be equal to `hostIP`");
  }
  CheckAddresses(status.host_ips, old.host_ips, hosts, errors);
}

}  // namespace dray::api::validation::inline workloads
