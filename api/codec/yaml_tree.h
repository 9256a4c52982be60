// SPDX-License-Identifier: Apache-2.0
// The nodes of one YAML document, as libyaml's events build them: nothing is resolved yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dray::api::inline codec {

struct YamlNode {
  enum class Kind : uint8_t { kScalar, kMapping, kSequence, kAlias };
  Kind kind = Kind::kScalar;
  bool implicit = false;                       // a plain scalar without a tag
  size_t line = 0;                             // from 1
  std::string tag = {};                        // full form, empty for none
  std::string text = {};                       // of a scalar; of an alias, its name
  std::vector<const YamlNode*> children = {};  // of a mapping: key, value, key, value …
  const YamlNode* target = nullptr;            // of an alias
};

/// The first document of a text.
struct YamlTree {
  std::deque<YamlNode> nodes;
  const YamlNode* root = nullptr;  // null: no document
};

/// Reads the first document of `text`.
///
/// Errors: kBadRequest with Go's words for what libyaml finds, or past the limits of
/// api/codec/yaml_limits.h.
Result<YamlTree> ReadYamlTree(std::string_view text);

}  // namespace dray::api::inline codec
