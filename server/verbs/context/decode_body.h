// SPDX-License-Identifier: Apache-2.0
// From a request's body to an object of the kind its URL names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"
#include "base/result.h"
#include "server/verbs/context/call.h"

namespace dray::server::verbs::inline context {

/// The object a client sent; the caller alone holds it. A body without kind or apiVersion is taken
/// for one of `kind`. With FieldValidation::kWarn, unknown and duplicate fields go to the call's
/// warnings.
///
/// Errors, with upstream's words:
///   kBadRequest  the body is not what its media type says (JSON or protobuf); it is of another
///                kind or version; a value has the wrong type; with kStrict, JSON has an unknown or
///                duplicate field (in protobuf, unknown fields are ignored and duplicates merged,
///                as the protobuf specification says).
Result<api::Object> DecodeBody(const Call& call, const api::KindInfo& kind);
/// Decodes the body again for a retry of a write, without warnings, because DecodeBody() has added
/// them. Retries are rare: decoding twice costs less than keeping a copy of each body.
Result<api::Object> DecodeAgain(const Call& call, const api::KindInfo& kind);

/// The word for an applied configuration in errors of `release`: "YAML" up to 1.36, then "patch".
std::string_view AppliedWord(api::Release release);

/// The text `strict decoding error: …` for the issues of a strict decoder.
std::string StrictError(const api::DecodeIssues& issues);

/// What is ignored in `text`, a readable document for the custom kind `kind` that says it is
/// `said`: `issues`, found by the schema of `kind`, where it is. Another version of the kind is
/// judged by its own schema, and one that the definition does not have knows no fields; of other
/// kinds only the metadata is known. O(size). Errors: kBadRequest  it cannot be read as what it
/// says.
Result<api::DecodeIssues> IssuesAsSaid(const api::KindInfo& kind,
                                       const api::TypeMeta& said,
                                       std::string_view text,
                                       api::Release release,
                                       api::DecodeIssues issues);

/// What is wrong with a document of a custom kind that says it is something else; `name` is that of
/// its object.
std::optional<Error> WrongCustomKind(const api::KindInfo& kind,
                                     const api::TypeMeta& said,
                                     std::string_view name);

}  // namespace dray::server::verbs::inline context
