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
/// && that a macro would look at (cel.bind(x, a, x && b)) stays inside its part, and
/// !(a || b) is not turned round. O(length * nesting of parentheses).
///
/// Of a text that cannot be cut into tokens, all of it is one part; the same holds for one whose
/// brackets do not match.
std::vector<std::string_view> Conjuncts(std::string_view expression);

/// `expression` on one line: comments are dropped, white space between tokens becomes one space
/// and line breaks inside of texts are written \n. For reading; a text with three quotes may no
/// longer mean the same.
std::string OneLine(std::string_view expression);

}  // namespace dray::cel::syntax
