// SPDX-License-Identifier: Apache-2.0
// ObjectMeta in trees: of custom objects, and of the resources that their schemas embed
// (x-kubernetes-embedded-resource).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta_v1/object_meta.h"
#include "api/value/tree.h"
#include "base/result.h"
#include "custom/schema/schema.h"

namespace dray::custom::schema {

/// What happens to members of metadata that are of a wrong type: requests are refused, what is
/// already stored loses them.
enum class Malformed : uint8_t { kRefuse, kDrop };

/// Reads metadata. `unknown`, if not null, gets the paths of members that ObjectMeta does not have,
/// below `path` ("metadata.nonsense"), at most api::kDecodeIssuesMax. With Malformed::kDrop no
/// member makes it fail. Linear.
///
/// Errors: kBadRequest  in Go's words: json: cannot unmarshal number into Go struct field
///                      ObjectMeta.name of type string.
Result<api::meta_v1::ObjectMeta> ReadMetadata(const api::Tree& metadata,
                                              std::string_view path,
                                              Malformed malformed,
                                              std::vector<std::string>* unknown);

/// The same as a tree, without what is empty. Linear.
api::Tree WriteMetadata(const api::meta_v1::ObjectMeta& metadata);

/// Makes the metadata of embedded resources what ObjectMeta has; their kind and apiVersion must be
/// texts. `unknown` as above, sorted. Passes over what embeds nothing; else one walk, linear, with
/// recursion bounded by the depth of the schema.
///
/// Returns the first thing that is wrong, in the order of members. With Malformed::kDrop nothing
/// is.
std::optional<ErrorCause> CoerceEmbedded(api::Tree& object,
                                         const Schema& schema,
                                         Malformed malformed,
                                         std::vector<std::string>* unknown);
/// The same for a value at `node`, with `path` before all paths.
std::optional<ErrorCause> CoerceEmbeddedValue(api::Tree& value,
                                              const Node& node,
                                              std::string_view path,
                                              Resource resource = Resource::kIfMarked);

/// Returns what is wrong with the metadata of an object of any kind, below "metadata".
using MetadataRules =
    std::function<std::vector<ErrorCause>(const api::meta_v1::ObjectMeta& metadata)>;

/// What is wrong with embedded resources: apiVersion and kind must be there and well-formed, and
/// metadata must keep `rules` (null: not asked), which see the name "fakename" where there is none.
/// `path` stands before all paths. Walks as above.
std::vector<ErrorCause> CheckEmbedded(const api::Tree& value,
                                      const Node& node,
                                      std::string_view path,
                                      const MetadataRules& rules,
                                      Resource resource = Resource::kIfMarked);

}  // namespace dray::custom::schema
