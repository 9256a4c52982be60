// SPDX-License-Identifier: Apache-2.0
// The compared part of an answer: some of its members, and some lists in any order.
#pragma once

#include <boost/json.hpp>

namespace dray::rest {

/// Keeps what the member `only` of `step` names, in `answer`: the elements of the list at `pointer`
/// whose members are equal to those in it, or, with `keys`, the members that begin with a prefix.
/// All else goes.
void KeepOnly(const boost::json::object& step, boost::json::value& answer);

/// Sorts the lists that the member `unordered` of `step` names, by what of their elements is not
/// volatile.
void SortUnordered(const boost::json::object& step, boost::json::value& answer);

}  // namespace dray::rest
