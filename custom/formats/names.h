// SPDX-License-Identifier: Apache-2.0
// Formats of names: hostname, k8s-short-name, k8s-long-name.
#pragma once

#include <string_view>

namespace dray::custom::formats {

/// Labels of letters, digits, symbols and dashes, joined by dots, the last one of letters; or one
/// label. At most 255 bytes, and 63 in a label. Linear.
bool IsHostname(std::string_view text);

/// A DNS label in small letters, at most 63 bytes.
bool IsShortName(std::string_view text);

/// Such labels of any length, joined by dots, at most 253 bytes.
bool IsLongName(std::string_view text);

}  // namespace dray::custom::formats
