// SPDX-License-Identifier: Apache-2.0
// Edits fields in the text of a manifest file; everything else, including comments, stays
// unchanged.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/yaml_lines.h"
#include "api/kind.h"

namespace dray::manifests {

/// An object in the file: the line where its document starts, and its path in the document
/// ("items[3]"; empty for the document itself).
struct ObjectPlace {
  size_t line = 1;
  std::string item = {};
  auto operator<=>(const ObjectPlace&) const = default;
};

class FileText {
 public:
  /// Longer lines are not changed, because a program wrote them.
  static constexpr size_t kLineBytesMax = 10'000;

  explicit FileText(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }

  /// The line of the field, which is named as in the newest version of its kind; if it does not
  /// exist, that of the innermost existing field around it.
  size_t LineOf(const ObjectPlace& object, std::string_view field);

  /// Replaces the first whole word `before` in the text of the field by `after`. False, with
  /// nothing changed, if there is none, or if the file would be invalid afterwards.
  bool Replace(const ObjectPlace& object,
               std::string_view field,
               std::string_view before,
               std::string_view after);

  /// Converts the object to another version of its kind. If only apiVersion differs, only that
  /// changes. Otherwise the document is written anew, unless it is a list or has comments, other
  /// than those at its start, that would be lost. False, with nothing changed, if it is impossible.
  bool Convert(const ObjectPlace& object, const api::KindInfo& from, const api::KindInfo& to);

 private:
  /// The range of a document in the text; begin is npos: there is none.
  struct Span {
    size_t begin = std::string::npos;
    size_t size = 0;
  };
  Span DocumentAt(size_t line) const;
  const api::YamlLines* LinesOf(size_t line);
  void Put(size_t at, size_t size, std::string_view after);
  bool Reads(const ObjectPlace& object) const;

  std::string text_;
  std::map<size_t, api::YamlLines> lines_;  // of parsed documents, by first line
};

}  // namespace dray::manifests
