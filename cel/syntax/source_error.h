// SPDX-License-Identifier: Apache-2.0
// Errors at a position in the expression, and their text with a caret below that position.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dray::cel::syntax {

struct SourceError {
  /// An error about the expression as a whole; shown at -1:0, without the source line.
  static constexpr uint32_t kNowhere = UINT32_MAX;

  uint32_t offset = kNowhere;  // byte in the expression
  std::string message;
};

/// All errors, by position, each as upstream's command line prints it:
///
///     ERROR: <input>:1:8: undeclared reference to 'x' (in container '')
///      | size(a)+x
///      | ........^
///
/// Columns count code points from 1. Costs O(errors * length).
std::string FormatErrors(std::string_view expression, std::span<const SourceError> errors);

}  // namespace dray::cel::syntax
