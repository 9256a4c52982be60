// SPDX-License-Identifier: Apache-2.0
// Which form an answer takes, by the Accept header, and how a body is to be read, by Content-Type.
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

/// Clauses of one Accept header that are looked at; the rest is ignored.
inline constexpr size_t kAcceptClausesMax = 64;

/// What is asked for decides which transformations are possible.
enum class Endpoint : uint8_t {
  kPlain,  // discovery of one group: no transformation
  kSubresource,
  kAggregated,     // /api and /apis
  kAggregatedOld,  // the same of releases that still know the form v2beta1
  kObject,         // one object
  kList,
  kWatch,
};

/// Objects of custom kinds are never protobuf, and neither are patches of them known by all types.
enum class Origin : uint8_t { kBuiltIn, kCustom };

/// The first clause of `accept` (by q, then as written) that can be served; no clause means JSON.
///
/// Errors: kNotAcceptable  none can.
Result<documents::Form> Negotiate(std::string_view accept,
                                  Endpoint endpoint,
                                  Origin origin = Origin::kBuiltIn);

/// How errors are said, which are never transformed: the first clause without a transformation
/// counts, and where there is none, indented JSON.
documents::Form ErrorForm(std::string_view accept);

/// Whether JSON should be indented: the parameter `pretty`, else browsers and command-line tools.
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
