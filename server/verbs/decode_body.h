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
#include "server/verbs/call.h"

namespace dray::server::verbs {

/// The object a client sent; nobody else holds it. A body without kind or apiVersion is taken for
/// one of `kind`. Unknown and duplicate fields go to the call's warnings with
/// FieldValidation::kWarn.
///
/// Errors, with upstream's words:
///   kBadRequest  not JSON or protobuf, as it was said to be; of another kind or version; a value
///                of the wrong type; with kStrict, an unknown or duplicate field of JSON (unknown
///                fields of protobuf are ignored, duplicates are merged, as its rules are).
Result<api::Object> DecodeBody(const Call& call, const api::KindInfo& kind);
/// The same once more, without warnings: they were told. For another try of a write, which is rare:
/// to read again then costs less than to keep a copy always.
Result<api::Object> DecodeAgain(const Call& call, const api::KindInfo& kind);

/// What errors of `release` call a configuration that is applied: up to 1.36 "YAML", then "patch".
std::string_view AppliedWord(api::Release release);

/// `strict decoding error: …` from what a strict decoder found.
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

}  // namespace dray::server::verbs
