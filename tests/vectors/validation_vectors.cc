// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/validation_vectors.h"

#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/try.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/validation_answer.h"
#include "tests/vectors/validation_case.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;

// Empty options choose everything; "resource.k8s.io/v1/" chooses a version,
// "resource.k8s.io/v1/ResourceClaim" a kind.
bool IsChosen(std::string_view word, const ApiVectorOptions& options) {
  if (options.kinds.empty()) return true;
  return options.kinds.ends_with('/') ? word.starts_with(options.kinds) : word == options.kinds;
}

bool IsChosen(const json::object& test,
              const CaseSubject& subject,
              const ApiVectorOptions& options) {
  if (!options.name.empty() && TextOf(test, "name") != options.name) return false;
  return IsChosen(fmt::format("{}/{}", subject.kind->api_version, subject.kind->kind), options);
}

// Why a case is not run; empty when it is.
std::string_view WhyNotRun(const json::object& test) {
  const json::object& measured = test.at("measured").as_object();
  if (measured.contains("panic")) return "upstream crashed";
  return {};
}

void RunCase(const json::object& test, const ApiVectorOptions& options, Report& report) {
  if (!options.release.empty() && TextOf(test, "release") != options.release) return;
  if (!test.contains("measured")) {
    ++report.not_run["not measured"];
    return;
  }
  const auto subject = SubjectOf(test);
  if (!subject) {
    ++report.not_run[subject.error().message];
    return;
  }
  if (!IsChosen(test, *subject, options)) return;
  if (const std::string_view reason = WhyNotRun(test); !reason.empty()) {
    ++report.not_run[std::string(reason)];
    return;
  }
  const std::string difference = DifferenceFromAnswer(RunValidationCase(*subject, test), test);
  if (difference.empty()) {
    ++report.passed;
  } else {
    report.failures.push_back(fmt::format("{}: {}", TextOf(test, "name"), difference));
  }
}

}  // namespace

Result<Report> RunValidationVectors(Disk& disk,
                                    const std::vector<std::string>& files,
                                    const ApiVectorOptions& options) {
  Report report;
  DRAY_TRY_VOID(
      ForEachCase(disk, files, [&](const json::object& test) { RunCase(test, options, report); }));
  return report;
}

}  // namespace dray::vectors
