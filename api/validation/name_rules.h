// SPDX-License-Identifier: Apache-2.0
// Rules for names, as errors: in the texts of hand-written validation, of declarative validation,
// or of the one that applies in a release.
#pragma once

#include <string_view>

#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::api::validation {

// Names, in the texts of hand-written validation. `errors` collects the problems of `value`.

void CheckDriver(std::string_view value, const Path& path, FieldErrors& errors);
void CheckPool(std::string_view value, const Path& path, FieldErrors& errors);
void CheckLabelShaped(std::string_view value, const Path& path, FieldErrors& errors);
void CheckSubdomainShaped(std::string_view value, const Path& path, FieldErrors& errors);
void CheckKeyShaped(std::string_view value, const Path& path, FieldErrors& errors);
void CheckLabelValueShaped(std::string_view value, const Path& path, FieldErrors& errors);
/// Key of an attribute or capacity.
void CheckDeviceKeyShaped(std::string_view value, const Path& path, FieldErrors& errors);
/// The name of a device attribute with its domain.
void CheckAttributeName(std::string_view value, const Path& path, FieldErrors& errors);

// The same values, in the texts of declarative validation.

void CheckDeclaredDriver(std::string_view value, const Path& path, FieldErrors& errors);
void CheckDeclaredPool(std::string_view value, const Path& path, FieldErrors& errors);
void CheckDeclaredLabel(std::string_view value, const Path& path, FieldErrors& errors);
/// The name of a device attribute with its domain, in lower case.
void CheckDeclaredAttributeName(std::string_view value, const Path& path, FieldErrors& errors);

// The same values where declarations cover the hand-written rule; the release decides the text.

void CheckCoveredDriver(std::string_view value, const Path& path, Findings& out);
void CheckCoveredPool(std::string_view value, const Path& path, Findings& out);
void CheckCoveredLabel(std::string_view value, const Path& path, Findings& out);
void CheckCoveredAttributeName(std::string_view value, const Path& path, Findings& out);
void CheckCoveredUuid(std::string_view value, const Path& path, Findings& out);

}  // namespace dray::api::validation
