// SPDX-License-Identifier: Apache-2.0
// The meaning of YAML scalars by the YAML 1.1 rules of the Go library behind sigs.k8s.io/yaml,
// which kubectl and the API server use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace dray::api::inline codec {

/// Null, bool, int64, uint64 (above int64 only), double or text.
using YamlScalar = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string>;

/// The meaning of a scalar with `tag`: empty for none, else the full form (tag:yaml.org,2002:int).
/// Only plain scalars and tagged ones are resolved; quoted ones without a tag are text. Bases 2, 8
/// and 16, underscores and yes/no/on/off count; numbers in base 60 and dates are text.
///
/// Errors: kBadRequest with the library's words: the text does not fit its tag, or bad base64.
Result<YamlScalar> ResolveYamlScalar(std::string_view tag, std::string_view text);

/// Whether plain `text` would be read back as text, so that it needs no quotes. Dates and numbers
/// in base 60 get quotes too, for other readers.
bool IsPlainYamlText(std::string_view text);

/// As encoding/json writes doubles: shortest, with an exponent below 1e-6 and from 1e21.
std::string FormatJsonDouble(double value);
/// As Go's 'g' format in shortest form: with an exponent below 1e-4 and from 1e6 or so.
std::string FormatGoDouble(double value);
/// The same with the digits of a 32-bit float.
std::string FormatGoFloat(float value);

}  // namespace dray::api::inline codec
