// SPDX-License-Identifier: Apache-2.0
// A request that grows: one line of a table, with its assertions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/http/limits.h"
#include "tests/cost/bounds.h"
#include "tests/cost/usage.h"
#include "tests/fuzz/direct_api.h"
#include "tests/soak.h"

namespace dray::cost {

inline constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
inline constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
inline constexpr std::string_view kSlices = "/apis/resource.k8s.io/v1/resourceslices";
inline constexpr std::string_view kClaims =
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
inline constexpr std::string_view kClasses = "/apis/resource.k8s.io/v1/deviceclasses";
inline constexpr std::string_view kMerge = "application/merge-patch+json";
inline constexpr std::string_view kStrategic = "application/strategic-merge-patch+json";
inline constexpr std::string_view kJsonPatch = "application/json-patch+json";
inline constexpr std::string_view kYaml = "application/yaml";
inline constexpr std::string_view kJson = "application/json";

// Limit of the stored objects, which must fit into the store.
inline constexpr size_t kStoredMax = size_t{1} << 20;

struct Case {
  const char* name;
  std::string_view method;
  std::string_view target;
  std::string_view type;
  std::function<std::string(size_t)> body;
  /// Creates the objects that exist before; with the body they are the input.
  std::function<void(fuzz::DirectApi&, size_t)> before = {};
  std::string_view accept = {};
  /// The end of the target.
  std::function<std::string(size_t)> query = {};
  /// The size of the input for each byte of n; more than the body if another object is large, too.
  double input = 1.0;
  uint64_t instructions_per_byte = kInstructionsPerByte;
};

inline void Create(fuzz::DirectApi& api, std::string_view target, std::string body) {
  const fuzz::DirectAnswer answer = api.Ask("POST", target, std::move(body));
  EXPECT_EQ(answer.status, 201) << answer.body.substr(0, 300);
}

/// Sends the request with n, 2n and 4n bytes. 4n is the largest body that is read or, in `make
/// test`, `quick`. Returns the violated bound, if any.
inline std::string ComplaintAbout(const Case& request, size_t quick = kBodyBytes / 4) {
  Growth growth(request.name, request.instructions_per_byte);
  const size_t largest = std::min<size_t>(kBodyBytes, Instances(quick));
  for (const size_t size : {largest / 4, largest / 2, largest}) {
    fuzz::DirectApi api;
    if (request.before) request.before(api, std::min(size, kStoredMax));
    std::string body = request.body(size);
    EXPECT_LE(body.size(), server::http::kBodyBytesMax);
    std::string target(request.target);
    if (request.query) target += request.query(size);
    fuzz::DirectAnswer answer;
    const Usage usage = Measure([&] {
      answer = api.Ask(request.method, target, std::move(body), request.type, request.accept);
    });
    fmt::print("{}: ", answer.status);
    const auto input = static_cast<size_t>(static_cast<double>(size) * request.input);
    growth.Add(input, usage, answer.body.size());
  }
  return growth.Complaint();
}

}  // namespace dray::cost
