// SPDX-License-Identifier: Apache-2.0
// Limits for reading YAML.
#pragma once

#include <cstddef>

namespace dray::api::inline codec {

/// Bytes in one text. Clients' bodies are smaller; files of manifests can be large.
inline constexpr size_t kYamlTextMax = 32U << 20U;
/// Limit of the bytes of keys and values after expansion, because aliases can make a small document
/// large.
inline constexpr size_t kYamlJsonMax = 32U << 20U;
/// Limits of the expanded size: this many bytes for a short document, and this many times the
/// length for a longer one.
inline constexpr size_t kYamlExpandedMin = 4U << 20U;
inline constexpr size_t kYamlExpandedPerByte = 16;
/// Values in one document, before aliases are followed.
inline constexpr size_t kYamlNodesMax = 4'000'000;
/// Mappings and sequences inside each other, also through aliases.
inline constexpr size_t kYamlDepthMax = 500;
/// Documents in one text.
inline constexpr size_t kYamlDocumentsMax = 100'000;

}  // namespace dray::api::inline codec
