// SPDX-License-Identifier: Apache-2.0
// dray validate: what an API server would say to manifests, without one.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/world.h"

namespace dray::cli {

enum class ReportFormat : uint8_t { kText, kJson };
enum class Colours : uint8_t { kNone, kTerminal };

struct ValidateOptions {
  std::vector<std::string> paths;  // files, folders, "-"
  std::string release;             // "1.37"; empty: the newest that serves an object's version
  std::string feature_gates;       // kube-apiserver's words
  bool strict = false;             // unknown and duplicate fields are errors
  ReportFormat format = ReportFormat::kText;
  Colours colours = Colours::kNone;
};

/// Writes what there is to say to `out`, and why it could not begin to `errors`. Returns the exit
/// code: 0 valid, 1 invalid or refused by the API, 2 not YAML, unreadable or bad options. The
/// worst of all objects counts, and every file is looked at.
int Validate(World& world, const ValidateOptions& options, std::FILE* out, std::FILE* errors);

}  // namespace dray::cli
