// SPDX-License-Identifier: Apache-2.0
// The files of the dashboard that this program contains; dev/web_bundle.py makes them from web/.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace dray::cli::inline dashboard {

struct BundledFile {
  std::string_view path;        // "app.js"; "index.html" is also the page itself
  std::string_view media_type;  // of Content-Type
  std::string_view entity_tag;  // a hash, in quotes
  std::span<const unsigned char> gzip;
  size_t bytes;  // without compression
};

struct Bundle {
  std::span<const BundledFile> files;
  std::string_view why_none;  // why the program was built without one; empty: it has one
};

Bundle BundleOfBuild();

}  // namespace dray::cli::inline dashboard
