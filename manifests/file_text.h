// SPDX-License-Identifier: Apache-2.0
// The text of a file of manifests, in which fields are found and changed while all else, comments
// too, stays as it is.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/yaml_lines.h"
#include "api/kind.h"

namespace dray::manifests {

/// An object in the file: the line where its document begins, and its path in that ("items[3]";
/// empty for the document itself).
struct ObjectPlace {
  size_t line = 1;
  std::string item = {};
  auto operator<=>(const ObjectPlace&) const = default;
};

class FileText {
 public:
  /// Lines longer than this are not changed: nobody wrote them.
  static constexpr size_t kLineBytesMax = 10'000;

  explicit FileText(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }

  /// The line of the field, named as in the newest version of its kind, or of the innermost one
  /// around it that is there.
  size_t LineOf(const ObjectPlace& object, std::string_view field);

  /// Puts `after` where `before` first stands as a whole word in the text of the field. False, with
  /// nothing changed, when it does not, or when the file would no longer be read.
  bool Replace(const ObjectPlace& object,
               std::string_view field,
               std::string_view before,
               std::string_view after);

  /// Writes the object in another version of its kind. Where only apiVersion differs, that is what
  /// changes; else the document is written anew, unless it is a list or has comments that would be
  /// lost, but for those it begins with. False, with nothing changed, when it cannot be done.
  bool Convert(const ObjectPlace& object, const api::KindInfo& from, const api::KindInfo& to);

 private:
  /// Where a document stands in the text; npos as begin: nowhere.
  struct Span {
    size_t begin = std::string::npos;
    size_t size = 0;
  };
  Span DocumentAt(size_t line) const;
  const api::YamlLines* LinesOf(size_t line);
  void Put(size_t at, size_t size, std::string_view after);
  bool Reads(const ObjectPlace& object) const;

  std::string text_;
  std::map<size_t, api::YamlLines> lines_;  // of documents looked at, by their first line
};

}  // namespace dray::manifests
