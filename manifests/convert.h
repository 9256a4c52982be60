// SPDX-License-Identifier: Apache-2.0
// Converts whole files of manifests to another version of resource.k8s.io, or of a group of custom
// kinds: documents keep their order, lists stay lists, other kinds stay unchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "manifests/convert_item.h"

namespace dray::manifests {

/// Whether fields that the version cannot express may be lost.
enum class Losing : uint8_t { kRefused, kAllowed };

struct ConvertedDocument {
  std::string file;      // of the source; "-": standard input
  std::string comments;  // YAML lines before it
  std::string json;      // empty: only the comments are left
  std::string text;      // the source, if nothing changed
};

struct Conversion {
  std::vector<ConvertedDocument> documents;
  bool is_refused = false;  // an object cannot be converted at all
  bool would_lose = false;  // a field would be lost, which is not allowed
};

/// Called with remarks, one line each, in order: losses, omissions, parts without a counterpart,
/// duplicate keys.
using Listener = std::function<void(std::string_view line)>;

/// Reads all files of `paths` before it converts the first document, because objects refer to each
/// other.
///
/// Errors: kBadRequest  a document that cannot be read, or whose contents do not match its kind,
/// with its place. Those of the disk.
Result<Conversion> ConvertFiles(Disk& disk,
                                const std::vector<std::string>& paths,
                                ItemConverter items,
                                Losing losing,
                                const Listener& remark);

/// The same for objects of custom kinds whose definitions are in the files: to `api_version`,
/// "example.com/v1". Defaults of both versions are filled in; all other objects stay unchanged.
///
/// Errors: as above. kBadRequest  no definition in the files serves the version.
Result<Conversion> ConvertCustomFiles(World& world,
                                      const std::vector<std::string>& paths,
                                      std::string api_version,
                                      Losing losing,
                                      const Listener& remark);

/// Documents without changes keep their text.
std::string ToYaml(const std::vector<ConvertedDocument>& documents);

/// One value; several documents become a v1 List.
std::string ToJson(const std::vector<ConvertedDocument>& documents);

}  // namespace dray::manifests
