// SPDX-License-Identifier: Apache-2.0
// Values for expressions of policies: objects in their JSON form, and the request.
#pragma once

#include <string>
#include <string_view>

#include "api/kind.h"
#include "api/object.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"
#include "server/policies/admission_request.h"

namespace dray::server::policies {

/// The value of a JSON document, in `arena`: whole numbers are int, others double, objects are maps
/// with a view; null if the text is no JSON. A number that is too large for CEL is an error value.
/// O(size × log size).
cel::Value ValueOfJson(std::string_view json, cel::Arena& arena);

/// The JSON of `object` in the form of `version`; unchanged if its kind has no such version.
/// Objects of custom kinds change their version by `converter`, unless it is null.
std::string JsonText(const api::Object& object,
                     const api::KindInfo& version,
                     api::Release release,
                     api::CustomConverter* converter = nullptr);

/// `object` in the form of `version`; unchanged if its kind has no such version. Null for null.
cel::Value ValueOf(const api::Object* object,
                   const api::KindInfo& version,
                   api::Release release,
                   cel::Arena& arena,
                   api::CustomConverter* converter = nullptr);

/// The variable `request`, where a rule matched `resource` and `kind`.
cel::Value ValueOf(const AdmissionRequest& request,
                   const api::KindInfo& resource,
                   const api::KindInfo& kind,
                   cel::Arena& arena);

/// The variable `namespaceObject`, without managed fields.
cel::Value ValueOf(const api::core_v1::Namespace* namespace_object, cel::Arena& arena);

}  // namespace dray::server::policies
