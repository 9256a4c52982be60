// SPDX-License-Identifier: Apache-2.0
// The head of an answer as HTTP/2 writes it: names in lower case, nothing of the connection.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "base/text/scratch_text.h"
#include "net/http.h"

namespace dray::net::http2 {

/// Fields for nghttp2, which point into this; it copies them when they are submitted.
class AnswerFields {
 public:
  /// `length` becomes Content-Length, `date` Date unless it is empty.
  AnswerFields(const ResponseHead& head, std::optional<size_t> length, std::string_view date);
  ~AnswerFields() = default;
  AnswerFields(const AnswerFields&) = delete;
  AnswerFields& operator=(const AnswerFields&) = delete;

  std::span<const nghttp2_nv> list() const { return list_; }

 private:
  void Add(std::string_view name, std::string_view value);

  static constexpr size_t kUsualFields = 16;

  ScratchText text_;  // never grows past what was reserved
  alignas(nghttp2_nv) std::array<std::byte, kUsualFields * sizeof(nghttp2_nv)> room_{};
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  std::pmr::vector<nghttp2_nv> list_{&memory_};
};

}  // namespace dray::net::http2
