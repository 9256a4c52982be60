// SPDX-License-Identifier: Apache-2.0
// Reports in the formats of CI tools: JUnit (test reports), SARIF (code scanning) and workflow
// commands of GitHub (annotations). All commands that judge objects write them here.
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

/// A result about one object, or about one field of it.
struct CiResult {
  std::string subject;             // kFine: no problem, and the rest is empty
  CiLevel level = CiLevel::kFine;  // kFine: nothing is wrong, and the rest is empty
  size_t rule = 0;                 // in CiReport::rules
  std::string field = {};          // of the subject; empty: the whole subject
  std::string message = {};        // in a line
  std::string text = {};           // a longer text, for formats with room for it; or empty
  std::string file = {};           // the subject's file; empty: in a running cluster
  size_t line = 0;                 // in the file; 0: unknown
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

/// The words of -o for these formats, in addition to the command's own.
inline constexpr std::string_view kCiForms[] = {"junit", "sarif", "github"};
bool IsCiForm(std::string_view form);
/// The report in one of these formats.
std::string CiText(std::string_view form, const CiReport& report);

/// Splits "FILE:LINE" into FILE and LINE. For "FILE: KIND NAMESPACE/NAME" (manifests::PlaceOf) the
/// line is 0. An empty place has neither.
struct FileAndLine {
  std::string file;
  size_t line = 0;
};
FileAndLine FileAndLineOf(std::string_view place);

}  // namespace dray::cli::inline reports
