// SPDX-License-Identifier: Apache-2.0
// Requests of the benchmarks, and their numeric arguments.
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

/// A claim for one device of the class gpu, in JSON.
std::string ClaimBody(std::string_view name);

/// Sends a request and returns the body of the answer; ends the program unless the status is 2xx.
/// Without a body it sends no Content-Type.
std::string Send(net::client::HttpClient& client,
                 net::client::ClientRequest request,
                 std::string_view type = kJson);

/// The number at the start of an argument, at least 1; ends the program if there is none.
size_t NumberIn(std::string_view text);

}  // namespace dray::bench
