// SPDX-License-Identifier: Apache-2.0
// What expressions of mutations make, as documents: a configuration to apply, or a JSON patch.
// After apiserver's pkg/cel/mutation and policy/mutating/patch.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/codec/json_tree.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::server::policies {

/// A member of an object by its name, or an element of a list by its index.
using PatchStep = std::variant<std::string, size_t>;

/// A value in a configuration that upstream's merge does not know how to read: null, a map literal
/// inside a literal, a time.
struct OddValue {
  std::vector<PatchStep> path;
  std::string text;     // as Go prints it with %v
  std::string go_type;  // as Go names its type
};

struct ApplyDocument {
  api::JsonTree tree;  // an object
  std::vector<OddValue> odd;
};

/// `made`, a value of type Object, as a document. O(size).
///
/// Errors, in upstream's words: an object inside is not of the type that its place has, or the
/// document is deeper than patch::kDepthMax.
std::expected<ApplyDocument, std::string> ApplyDocumentOf(const cel::Value& made);

/// `made`, a list of JSONPatch, as a JSON patch. O(size).
///
/// Errors, in upstream's words: as above, or a value that JSON does not have.
std::expected<api::JsonTree, std::string> JsonPatchOf(const cel::Value& made, cel::Arena& arena);

}  // namespace dray::server::policies
