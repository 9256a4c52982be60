// SPDX-License-Identifier: Apache-2.0
// Names: the forms that Kubernetes names, labels and identifiers must have, with the error texts
// upstream gives (apimachinery util/validation and api/validate/content).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dray::api::inline text {

inline constexpr size_t kDnsLabelMax = 63;
inline constexpr size_t kDnsSubdomainMax = 253;
inline constexpr size_t kLabelNameMax = 63;  // the part after the slash
inline constexpr size_t kLabelValueMax = 63;
inline constexpr size_t kAnnotationBytesMax = size_t{256} << 10;  // keys and values of an object

/// The last word of upstream's "must be no more than 63 …". It always counts bytes; the word
/// depends on the release and on which of its two validators reports the error.
enum class LengthWord : uint8_t { kCharacters, kBytes };

/// Each check returns the problems of `value`, in upstream's order and words; nothing when it is
/// valid. Cost is linear in the value.
using NameErrors = std::vector<std::string>;

/// [a-z0-9]([-a-z0-9]*[a-z0-9])?, at most 63 bytes (RFC 1123).
NameErrors CheckDnsLabel(std::string_view value, LengthWord word = LengthWord::kCharacters);
/// DNS labels joined by dots, at most 253 bytes; a label alone may be longer than 63.
NameErrors CheckDnsSubdomain(std::string_view value, LengthWord word = LengthWord::kCharacters);
/// The same with capital letters allowed, as declarative validation requires for driver names.
NameErrors CheckDnsSubdomainCaseless(std::string_view value);
/// [a-z]([-a-z0-9]*[a-z0-9])?, at most 63 bytes (RFC 1035).
NameErrors CheckDns1035Label(std::string_view value);
/// A label key, also called a qualified name: an optional DNS subdomain and '/', then a name of at
/// most 63 bytes.
NameErrors CheckLabelKey(std::string_view value, LengthWord word = LengthWord::kBytes);
/// A label key that has a domain ("example.com/key").
NameErrors CheckPrefixedLabelKey(std::string_view value);
/// Empty, or at most 63 letters, digits, '-', '_' and '.', alphanumeric at both ends.
NameErrors CheckLabelValue(std::string_view value, LengthWord word = LengthWord::kBytes);
/// [A-Za-z_][A-Za-z0-9_]* of any length.
NameErrors CheckCIdentifier(std::string_view value);
/// Anything that can be one segment of a path: not ".", not "..", no '/' and no '%'. Empty is good.
NameErrors CheckPathSegmentName(std::string_view value);
/// The same for the beginning of a segment.
NameErrors CheckPathSegmentPrefix(std::string_view value);
/// Letters in lower case, 8-4-4-4-12.
NameErrors CheckUuid(std::string_view value);

/// Prepares a generateName prefix for checks: like upstream, replaces the last two bytes by an 'a'
/// if it ends in '-'.
std::string MaskTrailingDash(std::string_view prefix);

}  // namespace dray::api::inline text
