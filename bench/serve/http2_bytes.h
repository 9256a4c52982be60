// SPDX-License-Identifier: Apache-2.0
// Conversions between text and nghttp2's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nghttp2/nghttp2.h>

namespace dray::bench {

inline std::string_view Text(const uint8_t* bytes, size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are chars
  return {reinterpret_cast<const char*>(bytes), size};
}

inline const uint8_t* Bytes(std::string_view text) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): chars are bytes
  return reinterpret_cast<const uint8_t*>(text.data());
}

/// Refers to `fields`.
inline std::vector<nghttp2_nv> FieldList(
    const std::vector<std::pair<std::string, std::string>>& fields) {
  std::vector<nghttp2_nv> list;
  list.reserve(fields.size());
  for (const auto& [name, value] : fields) {
    // NOLINTBEGIN(cppcoreguidelines-pro-type-const-cast): nghttp2 copies, it does not write
    list.push_back({.name = const_cast<uint8_t*>(Bytes(name)),
                    .value = const_cast<uint8_t*>(Bytes(value)),
                    .namelen = name.size(),
                    .valuelen = value.size(),
                    .flags = NGHTTP2_NV_FLAG_NONE});
    // NOLINTEND(cppcoreguidelines-pro-type-const-cast)
  }
  return list;
}

}  // namespace dray::bench
