// SPDX-License-Identifier: Apache-2.0
// One case of the validation vectors: a write request, and Dray's answer in the role of a release.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "api/codec/json.h"
#include "api/feature_gates.h"
#include "api/kind.h"
#include "base/result.h"

namespace dray::vectors {

/// The answer of a server.
struct Outcome {
  int code = 0;
  std::vector<ErrorCause> causes = {};
  std::string message = {};
  std::vector<std::string> warnings = {};
  api::DecodeIssues strict = {};
  std::string object = {};  // JSON of the object in the version of the request
};

/// The rules and the kind of a case.
struct CaseSubject {
  api::Profile profile;
  const api::KindInfo* kind = nullptr;
};

/// Errors: kInvalid  an unknown release or gate;
///         kNotFound no such kind in the schema.
Result<CaseSubject> SubjectOf(const boost::json::object& test);

/// Processes the request like a server before it stores an object: decoding, defaults, conversion
/// to the hub, fields that the server sets, dropping of disabled fields, validation.
Outcome RunValidationCase(const CaseSubject& subject, const boost::json::object& test);

/// The moment all cases happen at, as objects show it.
inline constexpr std::string_view kNowText = "2027-01-15T08:00:00Z";

}  // namespace dray::vectors
