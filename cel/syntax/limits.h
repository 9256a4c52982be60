// SPDX-License-Identifier: Apache-2.0
// The limits of the parser; where upstream has a limit, it is the same. Together they bound the
// recursion of every later phase, so that no hostile text exhausts a thread's stack.
#pragma once

#include <cstddef>

namespace dray::cel::syntax {

/// CELSelectorExpressionMaxLength (resource.k8s.io types): bytes of UTF-8, not code points.
inline constexpr size_t kExpressionBytesMax = 10 * 1024;
/// Code points of any expression.
inline constexpr size_t kCodePointsMax = 100'000;
/// Nested expressions: parentheses, arguments, elements, right arms of conditionals.
inline constexpr int kNestingMax = 250;
/// Nodes on one path through operators, selections, indexes, member calls and conditionals.
inline constexpr int kPathMax = 250;
/// Errors shown in one message; the rest are left out.
inline constexpr size_t kErrorsShownMax = 100;
/// A source line longer than this is not repeated under an error.
inline constexpr size_t kSnippetBytesMax = 16 * 1024;
/// Errors of an expression before those of a target of optMap are no longer repeated: upstream
/// reports them twice, and copies inside each other double each time.
inline constexpr size_t kErrorsMax = 10'000;

}  // namespace dray::cel::syntax
