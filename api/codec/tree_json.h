// SPDX-License-Identifier: Apache-2.0
// JSON text to trees (api/value/tree.h) and back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/value/tree.h"
#include "base/result.h"

namespace dray::api::inline codec {

/// Limits of a document. Memory is proportional to its length: at most some 50 bytes for each byte,
/// usually less than 5.
struct TreeLimits {
  size_t depth_max = JsonReader::kDepthMax;  // objects and lists inside each other
  size_t values_max = 16U << 20U;            // values of all kinds
};

/// Reads one JSON document. Numbers without a fraction and exponent that fit int64_t are integers,
/// all others doubles. If a name occurs twice, the last member counts; `issues`, if not null, gets
/// `duplicate field "spec.x"` for each, in document order, at most kDecodeIssuesMax.
///
/// O(n log n) in the members of one object whose names are not sorted, otherwise linear. Does not
/// recurse.
///
/// Errors: kBadRequest  not JSON; a number beyond double, in the words of Go's decoder; past a
///                      limit ("exceeded max depth", "too many values").
Result<Tree> ReadTree(std::string_view json,
                      const TreeLimits& limits = {},
                      DecodeIssues* issues = nullptr);

/// Appends the compact text as Go writes it: members sorted by name, `<`, `>` and `&` escaped,
/// whole doubles below 1e21 without a fraction. Linear. Does not recurse.
void WriteTree(const Tree& tree, std::string& out);

/// The beginning of that text: about `bytes_max` bytes, for messages that show part of a value.
/// What is no longer than that is whole. O(bytes_max).
std::string BeginningOf(const Tree& tree, size_t bytes_max);

/// The same as a new string.
std::string ToJson(const Tree& tree);

}  // namespace dray::api::inline codec
