// SPDX-License-Identifier: Apache-2.0
// Splits files of manifests into documents and objects: YAML or JSON, one or many, lists. Does not
// interpret the objects.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/yaml_lines.h"
#include "base/result.h"
#include "base/world.h"

namespace dray::manifests {

/// A remark on a place in a file.
struct LineNote {
  size_t line = 0;  // from 1, in the file
  std::string text;
};

/// One document of a file.
struct Document {
  size_t number = 0;      // in its file, from 0; documents without content count
  size_t first_line = 1;  // where it starts
  std::string text = {};  // its source text, with comments
  /// One JSON value, "null" for an empty document; empty if the text cannot be parsed.
  std::string json = {};
  /// Why the text cannot be parsed: the parser's message and position.
  std::optional<LineNote> failure = {};
  /// The text cannot be parsed and contains {{.
  bool is_template = false;
  /// Duplicate keys; the last one counts.
  std::vector<LineNote> duplicates = {};
  api::YamlLines lines = {};
};

enum class WithLines : bool { kNo, kYes };

/// The documents of a file, in order. A document that cannot be parsed has a `failure`, and the
/// others are still read. If the file cannot be split into documents, the failure is the only
/// document.
///
/// Errors: those of the disk for a file that cannot be read.
Result<std::vector<Document>> ReadDocuments(Disk& disk,
                                            const std::string& file,
                                            WithLines with_lines);

/// The same for the text of a file.
std::vector<Document> DocumentsIn(const std::string& text, WithLines with_lines);

/// One object in a document: the document itself, or an item of a list.
struct ObjectText {
  std::string_view json;
  api::TypeMeta type;     // an item without type has that of its list: FooList has Foos
  std::string path = {};  // "items[3]"; empty for the document itself
};

/// The objects of `json`, a JSON document. Kinds that end in "List" and have items are split, also
/// when nested. O(text), once for each level of lists and once more for objects whose type is not
/// at their start.
///
/// Errors: kBadRequest  no object, or its kind or apiVersion is no string; names the item.
Result<std::vector<ObjectText>> ObjectsIn(std::string_view json);

/// The name of an object; empty if it has none, or not as a string.
struct WrittenName {
  std::string name, prefix, namespace_;
};

/// `json` is an object, not necessarily a valid one of its kind.
WrittenName NameIn(std::string_view json);

}  // namespace dray::manifests
