// SPDX-License-Identifier: Apache-2.0
// Requests to an API server that is not there: what the server's code answers to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/core_v1/namespace.h"
#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"
#include "base/result.h"
#include "base/world.h"

namespace dray::manifests {

/// The rules to validate by.
struct ValidateOptions {
  /// Absent: each object by 1.37 if that serves its version, else by 1.31, else by 1.30, else by
  /// the last release that did.
  std::optional<api::Release> release;
  /// kube-apiserver's --feature-gates; gates of DRA that are not named are on.
  std::string feature_gates;
};

/// Checks that the gates exist with these values: in the release of the options, or else in one
/// that may be used. Errors: kInvalid  they do not.
Result<> CheckOptions(const ValidateOptions& options);

/// The release to judge objects of `kind` by if the options name none.
api::Release ReleaseFor(const api::KindInfo& kind);

/// The rules of `release` with the gates of `options`, which passed CheckOptions().
api::Profile ProfileOf(const ValidateOptions& options, api::Release release);

/// The result of one request.
struct Said {
  std::vector<ErrorCause> causes = {};  // empty: accepted
  std::vector<std::string> warnings = {};
};

/// The circumstances of a request.
struct RequestContext {
  World& world;
  const api::KindInfo& kind;  // the client's version
  const api::Profile& profile;
  const api::core_v1::Namespace& in;  // of the object
};

/// Creates `object`, which is in stored form and has its defaults: it becomes what is stored.
Said Create(const RequestContext& context, api::Object& object);

/// Updates the status of `created` to that of `object`, which becomes what is stored.
Said UpdateStatus(const RequestContext& context, const api::Object& created, api::Object& object);

}  // namespace dray::manifests
