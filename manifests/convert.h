// SPDX-License-Identifier: Apache-2.0
// Whole files of manifests in another version of resource.k8s.io: documents keep their order, lists
// stay lists, other kinds stay as they are.
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

/// What a version cannot express.
enum class Losing : uint8_t { kRefused, kAllowed };

struct ConvertedDocument {
  std::string file;      // it stood in; "-": standard input
  std::string comments;  // YAML lines before it
  std::string json;      // empty: only the comments are left
  std::string text;      // as it was read, when nothing changed
};

struct Conversion {
  std::vector<ConvertedDocument> documents;
  bool is_refused = false;  // something cannot be converted at all
  bool would_lose = false;  // something would be lost, and may not
};

/// Is told, in their order, the lines of what there is to say: what is lost or left out, what has
/// no counterpart, keys that come twice.
using Listener = std::function<void(std::string_view line)>;

/// Reads all that `paths` name before it converts the first document: objects refer to each other.
///
/// Errors: kBadRequest  a document that cannot be read, or is not what it says, with its place.
///         what the disk says.
Result<Conversion> ConvertFiles(Disk& disk,
                                const std::vector<std::string>& paths,
                                ItemConverter items,
                                Losing losing,
                                const Listener& remark);

/// Documents in which nothing changed are the text they were.
std::string ToYaml(const std::vector<ConvertedDocument>& documents);

/// One value; several documents become a v1 List.
std::string ToJson(const std::vector<ConvertedDocument>& documents);

}  // namespace dray::manifests
