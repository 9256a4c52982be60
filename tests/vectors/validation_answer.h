// SPDX-License-Identifier: Apache-2.0
// Compares Dray's answers with measured ones, by the rules in the README of the validation vectors.
#pragma once

#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "tests/vectors/validation_case.h"

namespace dray::vectors {

/// The difference between the outcome of `test` and its answer; empty if there is none.
std::string DifferenceFromAnswer(const Outcome& outcome, const boost::json::object& test);

/// Whether the text of an error of a `kind` at `field` must be equal to upstream's `text`.
bool IsBindingText(std::string_view kind, std::string_view field, std::string_view text);

/// Replaces "<now>", the moment a case was measured at, by kNowText.
void ReplaceNow(boost::json::value& value);

/// `object` without the values that each server chooses: uid, resourceVersion, times, managers.
boost::json::value ComparableObject(std::string_view object);

/// At most 1200 bytes of `text`.
std::string Shortened(std::string text);

}  // namespace dray::vectors
