// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/context/resource_version.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "server/errors/errors.h"

namespace dray::server::verbs::inline context {

Result<std::optional<uint64_t>> ParseVersion(std::string_view text) {
  if (text.empty()) return std::nullopt;
  uint64_t version = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, version);
  if (error == std::errc() && rest == end) return version;
  const std::string_view why =
      error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax";
  return Fail(
      errors::Untyped(fmt::format("strconv.ParseUint: parsing {}: {}", api::GoQuote(text), why)));
}

}  // namespace dray::server::verbs::inline context
