// SPDX-License-Identifier: Apache-2.0
// The output of dray cel: the same facts as text and as JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/compile_error.h"
#include "cel/cost/estimate.h"
#include "cel/device_names.h"
#include "cel/language/environment.h"
#include "cli/terminal/output.h"
#include "planning/explain/survey.h"
#include "planning/objects/published_devices.h"

namespace dray::cli::inline reports {

/// The findings about an expression that compiles.
struct CelAnswer {
  std::string_view expression;
  cel::Environment environment;
  std::string type;
  cel::cost::CostRange estimate;
  std::vector<cel::DeviceName> names;                       // that it reads
  std::span<const planning::PublishedDevice> devices = {};  // the survey's
  const planning::Survey* survey = nullptr;                 // null without -f

  /// Releases before 1.32 do not estimate costs.
  bool has_limit() const { return environment.since(api::Release::k1_32); }
  bool is_admitted() const { return !has_limit() || estimate.max <= cel::kSelectorCostMax; }
  bool is_derived() const { return environment.purpose == cel::Purpose::kDerivedAttribute; }
};

struct CelTextOptions {
  bool all = false;  // print complete lists
  Colours colours = Colours::kNone;
};

/// For users. Lists end after kListedMax lines, with the number of lines left.
std::string TextOf(const CelAnswer& answer, const CelTextOptions& options);
inline constexpr size_t kListedMax = 20;

/// For programs: one JSON object with complete lists. An unbounded estimate is null.
std::string JsonOf(const CelAnswer& answer);

/// The same for a rejected expression; `hint` may be empty.
std::string JsonOfRefusal(std::string_view expression,
                          const cel::Environment& environment,
                          const cel::CompileError& error,
                          std::string_view hint);

}  // namespace dray::cli::inline reports
