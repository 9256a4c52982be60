// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/case_files.h"

#include <array>
#include <cstddef>
#include <optional>
#include <sstream>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <zlib.h>

#include "base/try.h"

namespace dray::vectors {
namespace {

constexpr size_t kVectorBytesMax = size_t{64} << 20;
constexpr int kGzipWindowBits = MAX_WBITS + 16;  // 16: gzip's header, not zlib's
constexpr std::string_view kCompressed = ".gz";

// Nothing when it is not in gzip's form or is too large.
std::optional<std::string> Decompressed(std::string_view bytes) {
  if (bytes.size() > kVectorBytesMax) return std::nullopt;
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindowBits) != Z_OK) return std::nullopt;
  std::string input(bytes);  // zlib takes no pointer to const
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  std::string text;
  std::array<char, size_t{64} << 10> part = {};
  int status = Z_OK;
  while (status == Z_OK && text.size() <= kVectorBytesMax) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) return std::nullopt;
  return text;
}

}  // namespace

Result<std::string> ReadVectors(Disk& disk, const std::string& path) {
  DRAY_TRY(std::string bytes, disk.Read(path));
  if (!path.ends_with(kCompressed)) return bytes;
  Result<std::string> text = Gunzip(bytes);
  if (!text) return Fail(StatusReason::kBadRequest, path + ": " + text.error().message);
  return text;
}

Result<std::string> Gunzip(std::string_view bytes) {
  std::optional<std::string> text = Decompressed(bytes);
  if (!text) return Fail(StatusReason::kBadRequest, "not compressed by gzip");
  return *std::move(text);
}

Result<std::vector<std::string>> VectorFilesIn(Disk& disk,
                                               const std::string& folder,
                                               std::string_view ending) {
  DRAY_TRY(const std::vector<std::string> names, disk.List(folder));
  std::vector<std::string> files;
  for (const std::string& name : names) {
    std::string_view plain = name;
    if (plain.ends_with(kCompressed)) plain.remove_suffix(kCompressed.size());
    if (plain.ends_with(ending)) files.push_back(fmt::format("{}/{}", folder, name));
  }
  return files;
}

Result<Reasons> ReadReasons(Disk& disk, const std::string& file) {
  Reasons reasons;
  if (file.empty()) return reasons;
  DRAY_TRY(const std::string text, disk.Read(file));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const size_t colon = line.find(": ");
    if (colon == std::string::npos)
      return Fail(StatusReason::kBadRequest, fmt::format("{}: {}", file, line));
    reasons.emplace(line.substr(0, colon), line.substr(colon + 2));
  }
  return reasons;
}

Result<> ForEachCase(Disk& disk,
                     const std::vector<std::string>& files,
                     const std::function<void(const boost::json::object&)>& visit) {
  for (const std::string& file : files) {
    DRAY_TRY(const std::string text, ReadVectors(disk, file));
    boost::system::error_code error;
    const boost::json::value cases = boost::json::parse(text, error);
    if (error || !cases.is_array()) {
      return Fail(StatusReason::kBadRequest, file + ": not an array of vectors");
    }
    for (const boost::json::value& one : cases.as_array()) {
      if (const auto* test = one.if_object()) visit(*test);
    }
  }
  return {};
}

std::string_view TextOf(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string_view(value->as_string())
                                                : std::string_view();
}

const boost::json::array& ListOf(const boost::json::object& object, std::string_view name) {
  static const boost::json::array kNone;
  const boost::json::value* value = object.if_contains(name);
  return value != nullptr && value->is_array() ? value->as_array() : kNone;
}

}  // namespace dray::vectors
