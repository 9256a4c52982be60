// SPDX-License-Identifier: Apache-2.0
// A whole request against the API over a store in memory: any request is answered once, with a
// status code of HTTP, and another server can read the written object, alone and in the list of its
// kind. The input is a method, a target, headers and a body:
//
//   PATCH /api/v1/nodes/a?force=1
//   Content-Type: application/merge-patch+json
//
//   {"metadata":{}}
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "net/http.h"
#include "tests/fuzz/direct_api.h"
#include "tests/fuzz/second_server.h"

namespace {

std::string_view NextLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

dray::net::Request Parse(std::string_view text) {
  dray::net::Request request;
  std::string_view line = NextLine(text);
  const size_t space = std::min(line.find(' '), line.size());
  request.method = line.substr(0, space);
  request.target = "/";
  if (space + 1 < line.size()) request.target = line.substr(space + 1);
  while (!(line = NextLine(text)).empty()) {
    const size_t colon = std::min(line.find(':'), line.size());
    request.headers.Add(line.substr(0, colon), line.substr(std::min(colon + 1, line.size())));
  }
  request.body = text;
  return request;
}

// Making a server (discovery, OpenAPI, namespaces) costs more than a request, so one serves many
// inputs; it is made anew before its objects could matter much.
constexpr int kInputsPerServer = 256;

struct Servers {
  dray::fuzz::DirectApi first;
  dray::fuzz::SecondServer second;
};

Servers& FreshEnough() {
  static std::unique_ptr<Servers> servers;
  static int inputs_left = 0;
  if (inputs_left-- == 0) {
    inputs_left = kInputsPerServer - 1;
    servers = std::make_unique<Servers>();
  }
  return *servers;
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Servers& servers = FreshEnough();
  servers.first.Ask(Parse({reinterpret_cast<const char*>(data), size}));
  servers.second.Follow(servers.first.store());
  return 0;
}
