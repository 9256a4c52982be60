// SPDX-License-Identifier: Apache-2.0
#include "bench/serve/requests.h"

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "bench/serve/server_process.h"
#include "net/client/http_client.h"

namespace dray::bench {

std::string ClaimBody(std::string_view name) {
  return fmt::format(
      R"({{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{{"name":"{}"}},)"
      R"("spec":{{"devices":{{"requests":[{{"name":"gpu","exactly":{{"deviceClassName":"gpu"}}}}]}}}}}})",
      name);
}

std::string Send(net::client::HttpClient& client,
                 net::client::ClientRequest request,
                 std::string_view type) {
  if (!request.body.empty()) request.headers.Add("Content-Type", std::string(type));
  auto answer = client.Send(request);
  if (!answer) Die(request.target + ": " + answer.error().message);
  if (answer->status >= 300) Die(request.target + ": " + answer->body);
  return std::move(answer->body);
}

size_t NumberIn(std::string_view text) {
  size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (number == 0) Die(fmt::format("no number: {}", text));
  return number;
}

}  // namespace dray::bench
