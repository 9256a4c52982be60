// SPDX-License-Identifier: Apache-2.0
// The test cases of upstream's scheduler_perf, as its files performance-config.yaml describe them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/value/tree.h"
#include "base/result.h"
#include "base/world.h"

namespace dray::bench {

/// Feature gates by name.
using Gates = std::map<std::string, bool>;

/// A size of a test case.
struct Workload {
  std::string name;
  std::vector<std::string> labels;
  api::Tree params;                 // an object
  std::optional<double> threshold;  // pods a second that upstream expects
  Gates gates;                      // those of the test case included
};

struct TestCase {
  std::string name;
  std::string folder;          // what the paths of templates begin at
  std::vector<api::Tree> ops;  // objects, each with an opcode
  std::vector<Workload> workloads;
};

/// The test cases of `folder` and the folders below it. Errors: kNotFound  there is no
/// performance-config.yaml; kBadRequest  one is not as upstream's are; the message names the file.
Result<std::vector<TestCase>> ReadTestCases(Disk& disk, const std::string& folder);

/// "A=true,B=false", for --feature-gates.
std::string ToText(const Gates& gates);

/// The parameter of an operation: `op` may give it as `name`, or as NAMEParam with the text "$x" or
/// "$x|default", which stands for a parameter of the workload. Null: it gives none. Errors:
/// kBadRequest  the workload has no such parameter.
Result<api::Tree> ParameterOf(const api::Tree& op, std::string_view name, const Workload& workload);
/// The parameters for the template of an operation.
Result<api::Tree> TemplateParametersOf(const api::Tree& op, const Workload& workload);

}  // namespace dray::bench
