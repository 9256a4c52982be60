// SPDX-License-Identifier: Apache-2.0
// dray convert: manifests in another version of resource.k8s.io.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "api/release.h"
#include "base/world.h"

namespace dray::cli {

enum class Losing : uint8_t { kRefused, kAllowed };
enum class DocumentFormat : uint8_t { kYaml, kJson };

struct ConvertOptions {
  std::vector<std::string> paths;  // files, folders, "-"
  std::string version;             // resource.k8s.io/v1beta1, or v1beta1
  std::string release;             // 1.34: whose form of the version; empty: with all fields
  Losing losing = Losing::kRefused;
  DocumentFormat output = DocumentFormat::kYaml;
};

/// Writes all documents to `out`, those of resource.k8s.io in the version asked for, others as they
/// are, in their order; lists stay lists. Several documents as JSON become one List. What a version
/// cannot express is refused, or left out when allowed, and said in `notes` either way.
///
/// Returns the exit code: 0 converted, 1 something would be lost or cannot be converted (then
/// nothing is written), 2 unreadable input or no such version.
int Convert(World& world, const ConvertOptions& options, std::FILE* out, std::FILE* notes);

}  // namespace dray::cli
