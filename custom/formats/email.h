// SPDX-License-Identifier: Apache-2.0
// The format email.
#pragma once

#include <string_view>

namespace dray::custom::formats {

/// Whether Go's net/mail accepts `text` as one address (RFC 5322): `a@b.c`, `Name <a@b.c>`, a group
/// with one address; with comments. Encoded words (RFC 2047) are not decoded, so one with a
/// character set that Go does not know passes. Linear. Recursion is bounded: groups do not nest.
bool IsEmail(std::string_view text);

}  // namespace dray::custom::formats
