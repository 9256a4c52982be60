// SPDX-License-Identifier: Apache-2.0
#include "server/http/gzip.h"

#include <limits>

#include <zlib.h>

namespace dray::server::http {
namespace {

constexpr int kGzipFormat = 15 + 16;  // the largest window, and gzip's frame around the stream

}  // namespace

std::optional<std::string> Gzip(std::string_view text) {
  constexpr int kMemoryLevel = 8;
  if (text.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  z_stream stream{};
  if (deflateInit2(
          &stream, Z_BEST_SPEED, Z_DEFLATED, kGzipFormat, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) return std::nullopt;
  return out;
}

std::optional<std::string> Gunzip(std::string_view compressed, size_t bytes) {
  constexpr size_t kMost = std::numeric_limits<uInt>::max();
  if (compressed.size() > kMost || bytes > kMost) return std::nullopt;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipFormat) != Z_OK) return std::nullopt;
  std::string out(bytes, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = inflate(&stream, Z_FINISH);
  const bool is_whole = result == Z_STREAM_END && stream.total_out == bytes;
  inflateEnd(&stream);
  if (!is_whole) return std::nullopt;
  return out;
}

bool AcceptsGzip(const net::Headers& headers) {
  return headers.HasToken("Accept-Encoding", "gzip");
}

}  // namespace dray::server::http
