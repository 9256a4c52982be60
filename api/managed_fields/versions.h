// SPDX-License-Identifier: Apache-2.0
// One object in the versions of its kind: the fields of each manager are in the version that it
// wrote.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "api/codec/json_tree.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"
#include "api/value/tree.h"
#include "base/result.h"

namespace dray::api {

class CustomConverter;  // api/custom_kind.h

namespace managed_fields {

/// The versions of one kind in a release.
struct Versions {
  std::span<const KindInfo* const> kinds;  // all that the program has
  const KindInfo* kind;                    // one version of it
  Release release = Release::kAny;
  /// For custom kinds. If null, only the apiVersion of objects changes.
  CustomConverter* converter = nullptr;

  Wire wire() const { return {.release = release}; }
  /// The version of the kind with this apiVersion; null when the release has none.
  const KindInfo* Find(std::string_view api_version) const;
  /// `object`, one of the hub or of any version of a custom kind, in `version`. O(size).
  Object As(const Object& object, const KindInfo& version) const;
};

/// Objects and arrays inside each other in a document that is merged.
inline constexpr size_t kDocumentDepthMax = 1'000;

/// The JSON document of `object`, without kind and apiVersion. O(size). Errors: kBadRequest  it is
/// deeper than kDocumentDepthMax.
Result<JsonTree> DocumentOf(const Object& object, Wire wire);

/// Two contents of objects of a custom kind, as documents that have only what is not the same.
struct Differences {
  JsonTree old, now;
};

/// Leaves out the members that are equal in both, also those of objects below; lists are whole or
/// left out. O(size). Errors: kBadRequest  they are deeper than kDocumentDepthMax.
Result<Differences> DifferencesOf(const Tree& old, const Tree& now);

/// `document`, of `from` and without kind and apiVersion, as an object of `from`.
/// Errors: kBadRequest  as DecodeJson().
Result<Object> ObjectOf(const JsonTree& document, const KindInfo& from, Wire wire);

/// Converts `document` from version `from` to `to`, two of `versions`. O(size). Errors: as above.
Result<JsonTree> ConvertDocument(const JsonTree& document,
                                 const KindInfo& from,
                                 const KindInfo& to,
                                 const Versions& versions);

}  // namespace managed_fields
}  // namespace dray::api
