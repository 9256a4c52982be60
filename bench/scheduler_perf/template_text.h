// SPDX-License-Identifier: Apache-2.0
// The templates of upstream's scheduler_perf, a part of Go's text/template: text, {{actions}} with
// fields, variables, calls and pipelines, and the blocks if, else and range.
#pragma once

#include <string>
#include <string_view>

#include "api/value/tree.h"
#include "base/result.h"

namespace dray::bench {

/// The functions are or, eq, ge, Int, JSON, Mod, AddInt, SubtractInt, MultiplyInt and DivideInt. A
/// range goes over a list or counts up to a number.
///
/// Errors: kBadRequest  not such a template, a function that is none of these, or an action that
///                      has no value; the message names it and its line.
Result<std::string> Render(std::string_view text, const api::Tree& values);

}  // namespace dray::bench
