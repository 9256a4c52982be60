// SPDX-License-Identifier: Apache-2.0
// Compares the fields of an allocation with what they should be for its devices.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "dray/outcome.h"
#include "tests/judges/question.h"
#include "tests/judges/rules_between.h"

namespace dray::judges {

/// The devices of the allocation, in the order of wants. Errors: kInvalid  an unknown request or
/// device, a wrong number of devices, or devices out of order.
Result<std::vector<Taken>> TakenBy(const Question& question,
                                   const allocator::Allocation& allocation);

/// The field of a result that does not match the device and the request; empty: all match. `taken`
/// is the result of TakenBy.
std::string WrongWords(const Question& question,
                       const allocator::Allocation& allocation,
                       const std::vector<Taken>& taken);

}  // namespace dray::judges
