// SPDX-License-Identifier: Apache-2.0
#include "net/http2/answer_fields.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include "base/check.h"
#include "base/text/ascii.h"
#include "net/head_rules.h"
#include "net/http.h"

namespace dray::net::http2 {
namespace {

// ":status", "content-length" and "date" with their values.
constexpr size_t kOwnFieldsBytes = 256;

// Every answer has another value of it. Keeping it in the table would never help, and would make
// the search for the others longer.
bool IsNewEachTime(std::string_view name) {
  return EqualsIgnoringCase(name, "Audit-Id");
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

AnswerFields::AnswerFields(const ResponseHead& head,
                           std::optional<size_t> length,
                           std::string_view date) {
  size_t bytes = kOwnFieldsBytes + date.size();
  for (size_t i = 0; i < head.headers.size(); ++i) {
    const auto [name, value] = head.headers.at(i);
    bytes += name.size() + value.size();
  }
  text_->reserve(bytes);
  list_.reserve(head.headers.size() + 3);
  Add(":status", fmt::format_int(head.status).str());
  for (size_t i = 0; i < head.headers.size(); ++i) {
    const auto [name, value] = head.headers.at(i);
    if (IsToken(name) && !IsEngineField(name)) Add(name, value);
  }
  if (!date.empty()) Add("date", date);
  if (length) Add("content-length", fmt::format_int(*length).str());
}

void AnswerFields::Add(std::string_view name, std::string_view value) {
  DRAY_CHECK(text_->size() + name.size() + value.size() <= text_->capacity());
  const size_t begin = text_->size();
  for (const char c : name) *text_ += LowerAscii(c);
  const size_t middle = text_->size();
  AppendFieldText(*text_, Trim(value));
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): nghttp2 knows only unsigned bytes
  list_.push_back({.name = reinterpret_cast<uint8_t*>(text_->data() + begin),
                   .value = reinterpret_cast<uint8_t*>(text_->data() + middle),
                   .namelen = middle - begin,
                   .valuelen = text_->size() - middle,
                   .flags = static_cast<uint8_t>(IsNewEachTime(name) ? NGHTTP2_NV_FLAG_NO_INDEX
                                                                     : NGHTTP2_NV_FLAG_NONE)});
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
}

}  // namespace dray::net::http2
