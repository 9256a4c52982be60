// SPDX-License-Identifier: Apache-2.0
#include "custom/formats/names.h"

#include <algorithm>
#include <cstddef>

#include <re2/re2.h>

#include "api/text/names.h"

namespace dray::custom::formats {
namespace {

constexpr size_t kHostnameMax = 255;
constexpr size_t kLabelMax = 63;

// Upstream's expression, without the counts of characters: labels are at most kLabelMax bytes.
bool HasFormOfHostname(std::string_view text) {
  static const RE2 kForm(
      R"(^([a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]*)"
      R"(|([a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\-\p{S}\p{L}]*[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,})$)");
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), kForm);
}

}  // namespace

bool IsHostname(std::string_view text) {
  if (text.size() > kHostnameMax) return false;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('.'), rest.size());
    if (end > kLabelMax) return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return HasFormOfHostname(text);
}

bool IsShortName(std::string_view text) {
  return api::CheckDnsLabel(text).empty();
}

bool IsLongName(std::string_view text) {
  return api::CheckDnsSubdomain(text).empty();
}

}  // namespace dray::custom::formats
