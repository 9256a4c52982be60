// SPDX-License-Identifier: Apache-2.0
// From a request's body to an object of the kind its URL names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/json.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "server/request.h"

namespace dray::server {

/// The object a client sent; nobody else holds it. A body without kind or apiVersion is taken for
/// one of `kind`. Unknown and duplicate fields go to `warnings` with FieldValidation::kWarn.
///
/// Errors, with upstream's words:
///   kBadRequest  not JSON; of another kind or version; a value of the wrong type; with kStrict, an
///                unknown or duplicate field.
Result<api::Object> DecodeBody(const api::Scheme& scheme,
                               const api::KindInfo& kind,
                               const Body& body,
                               FieldValidation validation,
                               std::vector<std::string>& warnings);

/// `strict decoding error: …` from what a strict decoder found.
std::string StrictError(const api::DecodeIssues& issues);

}  // namespace dray::server
