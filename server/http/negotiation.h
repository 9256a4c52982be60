// SPDX-License-Identifier: Apache-2.0
// Content negotiation: the form of an answer by Accept, and the format of a body by Content-Type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"
#include "server/documents/form.h"
#include "server/patch/patch.h"

namespace dray::server::http {

/// The most clauses of one Accept header that are read; the rest is ignored.
inline constexpr size_t kAcceptClausesMax = 64;

/// The kind of answer, which decides which transformations are possible.
enum class Endpoint : uint8_t {
  kPlain,  // discovery of one group: no transformation
  kSubresource,
  kAggregated,     // /api and /apis
  kAggregatedOld,  // /api and /apis of releases that also have v2beta1
  kObject,         // one object
  kList,
  kWatch,
};

/// Custom kinds have no protobuf and accept no strategic merge patch.
enum class Origin : uint8_t { kBuiltIn, kCustom };

/// The form of the first clause of `accept` (by q, then as written) that can be served; JSON
/// without clauses.
///
/// Errors: kNotAcceptable  no clause can be served.
Result<documents::Form> Negotiate(std::string_view accept,
                                  Endpoint endpoint,
                                  Origin origin = Origin::kBuiltIn);

/// The form of an error, which is never transformed: that of the first clause without a
/// transformation; without such a clause, indented JSON.
documents::Form ErrorForm(std::string_view accept);

/// Whether JSON should be indented: as the parameter `pretty` says, else for browsers and
/// command-line tools.
bool WantsPretty(std::optional<std::string_view> parameter, std::string_view user_agent);

enum class BodyFormat : uint8_t { kJson, kYaml, kProtobuf };

/// Errors: kUnsupportedMediaType.
Result<BodyFormat> BodyFormatOf(std::string_view content_type);

/// Errors: kUnsupportedMediaType.
Result<patch::PatchType> PatchTypeOf(std::string_view content_type,
                                     Origin origin = Origin::kBuiltIn);

/// A media type without its parameters, in lower case.
std::string EssenceOf(std::string_view media_type);

}  // namespace dray::server::http
