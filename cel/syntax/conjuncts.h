// SPDX-License-Identifier: Apache-2.0
// The parts of an expression that must all hold, as they are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dray::cel::syntax {

/// Cuts `expression`, which compiles, at every && that all of it depends on: outside of brackets,
/// or inside parentheses that are a conjunct themselves, as in `a && (b && c)`. The parts are in
/// the order of the text, without the parentheses around them. An expression whose outermost
/// operator is another one (||, ?:, a macro, a call) is one part.
///
/// Works on tokens, because the syntax tree knows where a node begins but not where it ends. So a
/// && inside a macro's arguments (cel.bind(x, a, x && b)) is not cut, and !(a || b) is not
/// rewritten. O(length * nesting of parentheses).
///
/// A text that cannot be cut into tokens, or whose brackets do not match, is one part.
std::vector<std::string_view> Conjuncts(std::string_view expression);

/// `expression` on one line: comments are dropped, white space between tokens becomes one space and
/// line breaks inside of texts are written \n. For people to read: an expression with triple-quoted
/// strings may have another meaning afterwards.
std::string OneLine(std::string_view expression);

}  // namespace dray::cel::syntax
