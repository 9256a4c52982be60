// SPDX-License-Identifier: Apache-2.0
// dray cel: what an expression is, what it costs, and which devices of manifests it chooses.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/world.h"
#include "cel/environment.h"
#include "cli/allocate.h"
#include "cli/validate.h"

namespace dray::cli {

struct CelOptions {
  std::string expression;          // "-": standard input
  std::vector<std::string> paths;  // files, folders, "-"; none: the expression alone
  std::string release;             // "1.37"; empty: the newest
  std::string feature_gates;       // kube-apiserver's words
  cel::ExpressionUse use = cel::ExpressionUse::kNew;
  bool derived = false;  // a derived attribute, not a selector
  bool explain = false;  // take the conjuncts apart; needs paths
  bool all = false;      // lists are not cut short
  OutputFormat output = OutputFormat::kTable;
  Colours colours = Colours::kNone;
};

/// Writes the answer to `out`, and notes, refusals and errors to `notes`. Returns the exit code: 0
/// the expression is admitted and, where there are devices to ask, one matches; 1 it is refused, or
/// nothing matches; 2 bad options or unreadable input.
int Cel(World& world, const CelOptions& options, std::FILE* out, std::FILE* notes);

}  // namespace dray::cli
