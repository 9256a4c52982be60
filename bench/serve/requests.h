// SPDX-License-Identifier: Apache-2.0
// Requests that the benchmarks send, and the arguments that say how many.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "net/client/http_client.h"

namespace dray::bench {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kMergePatch = "application/merge-patch+json";
inline constexpr std::string_view kClaims =
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";

/// A claim of one device of the class gpu, in JSON.
std::string ClaimBody(std::string_view name);

/// The body of the answer; dies unless that is 2xx. No Content-Type without a body.
std::string Send(net::client::HttpClient& client,
                 net::client::ClientRequest request,
                 std::string_view type = kJson);

/// The number that an argument begins with, at least 1; dies without one.
size_t NumberIn(std::string_view text);

}  // namespace dray::bench
