// SPDX-License-Identifier: Apache-2.0
// What an allocation says, compared with what it should say of the devices it names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "dray/outcome.h"
#include "tests/judges/question.h"
#include "tests/judges/rules_between.h"

namespace dray::judges {

/// The devices of the allocation, in the order of wants.
/// Errors: kInvalid  a request or device that is not there, a number of devices that was not asked
///                   for, devices out of order.
Result<std::vector<Taken>> TakenBy(const Question& question,
                                   const allocator::Allocation& allocation);

/// Which field of a result does not fit the device and the request; empty when all do. `taken` is
/// what TakenBy says.
std::string WrongWords(const Question& question,
                       const allocator::Allocation& allocation,
                       const std::vector<Taken>& taken);

}  // namespace dray::judges
