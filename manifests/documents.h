// SPDX-License-Identifier: Apache-2.0
// Files of manifests, document by document: YAML or JSON, one or many, lists. What is in the
// documents is somebody else's subject.
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

/// A place in a file and what is to be said about it.
struct LineNote {
  size_t line = 0;  // from 1, in the file
  std::string text;
};

/// One document of a file.
struct Document {
  size_t number = 0;      // in its file, from 0; documents without content count
  size_t first_line = 1;  // where it begins
  std::string text = {};  // as it stands in the file, with its comments
  /// One JSON value, "null" without content; empty when the text cannot be read.
  std::string json = {};
  /// Why the text cannot be read: the parser's words, and where it stopped.
  std::optional<LineNote> failure = {};
  /// A text that cannot be read has {{ in it.
  bool is_template = false;
  /// Keys that come twice; the last one counts.
  std::vector<LineNote> duplicates = {};
  api::YamlLines lines = {};
};

enum class WithLines : bool { kNo, kYes };

/// The documents of a file, in order. One that cannot be read has a `failure` and does not keep the
/// others from being read, except when the file cannot be cut into documents: then it is the only
/// one.
///
/// Errors: what the disk says about a file it cannot read.
Result<std::vector<Document>> ReadDocuments(Disk& disk,
                                            const std::string& file,
                                            WithLines with_lines);

/// The same of a text that has been read already.
std::vector<Document> DocumentsIn(const std::string& text, WithLines with_lines);

/// One object in a document: the document itself, or an item of a list.
struct ObjectText {
  std::string_view json;
  api::TypeMeta type;     // an item that does not say takes it from its list: FooList has Foos
  std::string path = {};  // "items[3]"; empty for the document itself
};

/// The objects of `json`, a JSON document: kinds that end in "List" and have items are taken apart,
/// also inside each other. O(text), once for each depth of lists and once more for objects whose
/// kind does not stand in front.
///
/// Errors: kBadRequest  no object, or its kind or apiVersion is no text; names the item.
Result<std::vector<ObjectText>> ObjectsIn(std::string_view json);

/// What an object says about its name; empty where it says nothing, or no text.
struct WrittenName {
  std::string name, prefix, namespace_;
};

/// `json` is an object. It need not be one of the kind it says it is.
WrittenName NameIn(std::string_view json);

}  // namespace dray::manifests
