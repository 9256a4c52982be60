// SPDX-License-Identifier: Apache-2.0
// YAML to JSON text and back, with the meaning and the messages of sigs.k8s.io/yaml.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/yaml_limits.h"
#include "api/codec/yaml_lines.h"
#include "base/result.h"

namespace dray::api::inline codec {

/// One document of a text with several.
struct YamlChunk {
  std::string_view text;  // without the line of dashes before it
  size_t first_line = 1;  // where it begins in the whole text
};

/// Splits `text` at lines that begin with "---", as kubectl does; does not parse any other YAML.
/// Leaves out empty parts. The chunks point into `text`.
///
/// Errors: kBadRequest  such a line has more than a comment, or a limit is passed.
Result<std::vector<YamlChunk>> SplitYaml(std::string_view text);

struct YamlOptions {
  size_t first_line = 1;    // of the text in its file; counts for `lines`
  bool with_lines = false;  // fill in YamlDocument::lines
};

struct YamlDocument {
  /// One JSON value: compact, object keys sorted, "null" for a document without content. A key that
  /// comes twice has its last value.
  std::string json;
  /// line 26: key "kind" already set in map
  std::vector<std::string> duplicates;
  YamlLines lines;
};

/// Reads the first document of `text` and ignores the others. Keys become strings. Line numbers in
/// messages count from the beginning of `text`, as kubectl's do.
///
/// Errors: kBadRequest with upstream's words (yaml: line 3: mapping values are not allowed in this
/// context); also past a limit.
Result<YamlDocument> YamlToJson(std::string_view text, const YamlOptions& options = {});

/// The message of strict reading for `duplicates`: yaml: unmarshal errors:\n  line 26: …
std::string DuplicateKeysMessage(const std::vector<std::string>& duplicates);

/// Writes JSON text as a YAML document in block style, keys in the order given. Strings that would
/// be read as something else are quoted; sequences are not indented below their key.
///
/// Errors: kBadRequest  not JSON, deeper than kYamlDepthMax, or indented longer than kIndentedMin
/// and
///                      kIndentedPerByte times its length.
Result<std::string> JsonToYaml(std::string_view json);

}  // namespace dray::api::inline codec
