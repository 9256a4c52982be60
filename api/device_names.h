// SPDX-License-Identifier: Apache-2.0
// The names of the resource.k8s.io API that are more than one check: drivers, pools, and the keys
// of device attributes and capacities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/release.h"

namespace dray::api {

inline constexpr size_t kDriverNameMax = 63;
inline constexpr size_t kPoolNameMax = 253;
inline constexpr size_t kDeviceIdentifierMax = 32;  // the part after the domain

/// One problem of a name: the kind of field error with its arguments.
struct NameProblem {
  enum class Kind : uint8_t { kRequired, kTooLong, kInvalid, kTypeInvalid };
  Kind kind = Kind::kInvalid;
  std::string value = {};   // for invalid names: the value to show in the error, possibly a part of
                            // the name
  std::string detail = {};  // of all but kTooLong
  size_t max = 0;           // of kTooLong
  bool operator==(const NameProblem&) const = default;
};

// `release` determines the texts, and the error for an empty name.

/// A DNS subdomain of at most 63 bytes in which capital letters are allowed.
std::vector<NameProblem> CheckDriverName(std::string_view name, Release release = Release::kNewest);

/// DNS subdomains joined by slashes, at most 253 bytes. An empty part is an error.
std::vector<NameProblem> CheckPoolName(std::string_view name);

/// The same in the texts of declarative validation ("segment 1: must not be empty").
std::vector<NameProblem> CheckPoolNameSegments(std::string_view name);

/// Key of an attribute or capacity: a C identifier of at most 32 bytes, or a driver name, a slash
/// and such an identifier. As upstream, does not check a name with two slashes.
std::vector<NameProblem> CheckDeviceKey(std::string_view name, Release release = Release::kNewest);

}  // namespace dray::api
