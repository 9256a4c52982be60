// SPDX-License-Identifier: Apache-2.0
// Answers in the forms that tools of CI read: JUnit (test reports), SARIF (code scanning) and
// commands of GitHub workflows (annotations). All commands that judge something write them here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/output.h"

namespace dray::cli::inline reports {

enum class CiLevel : uint8_t { kFine, kNote, kWarning, kError };

/// What is said of one object, or of one field of it.
struct CiResult {
  std::string subject;             // "pod default/a"
  CiLevel level = CiLevel::kFine;  // kFine: nothing is wrong, and the rest is empty
  size_t rule = 0;                 // in CiReport::rules
  std::string field = {};          // of the subject; empty: all of it
  std::string message = {};        // in a line
  std::string text = {};           // more than the message, for reports that have room; or empty
  std::string file = {};           // where the subject stands; empty: in a running cluster
  size_t line = 0;                 // there; 0: not known
};

struct CiRule {
  std::string_view id;    // "unknown-class"
  std::string_view says;  // a sentence
};

struct CiReport {
  std::string_view command;  // "lint"
  std::vector<CiRule> rules;
  std::vector<CiResult> results;
};

/// The words of -o for these forms, beside those of the command.
inline constexpr std::string_view kCiForms[] = {"junit", "sarif", "github"};
bool IsCiForm(std::string_view form);
/// The report in one of them.
std::string CiText(std::string_view form, const CiReport& report);

/// FILE and LINE of "FILE:LINE"; of "FILE: KIND NAMESPACE/NAME" (manifests::PlaceOf) the line is 0.
/// Empty places have neither.
struct FileAndLine {
  std::string file;
  size_t line = 0;
};
FileAndLine FileAndLineOf(std::string_view place);

}  // namespace dray::cli::inline reports
