// SPDX-License-Identifier: Apache-2.0
// Addresses and ports that the server makes for services. Nothing routes to them, so that two
// services might share one is no harm (docs/differences.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dray::server::webhooks {

/// The same number for a text on every server and in every test. O(length).
uint64_t NumberOf(std::string_view text);

/// The cluster IP of a service of that uid whose client named none: of 10.0.0.0/12, without
/// 10.0.0.x.
std::string MadeClusterIp(std::string_view uid);

}  // namespace dray::server::webhooks
