// SPDX-License-Identifier: Apache-2.0
// The rules of all kinds, by object: what a server asks before it stores something. ObjectMeta has
// rules of its own, which are not here.
#pragma once

#include <string>
#include <vector>

#include "api/object.h"
#include "api/validation/options.h"
#include "base/result.h"

namespace dray::api::validation {

/// What is wrong with a new object, in the order of upstream's answers (1.37); nothing for kinds
/// without rules. The object has its defaults. Cost is linear in the object, apart from short lists
/// that are compared with themselves.
std::vector<Cause> ValidateCreate(const Object& object, const Options& options);

/// The same for replacing `old` by `object`, which has its status already. Both are of one kind.
std::vector<Cause> ValidateUpdate(const Object& object, const Object& old, const Options& options);

/// The same for a new status: `object` has everything else from `old`.
std::vector<Cause> ValidateStatusUpdate(const Object& object,
                                        const Object& old,
                                        const Options& options);

/// Texts for Warning headers, on create and update.
std::vector<std::string> Warnings(const Object& object, const Profile& profile = {});

}  // namespace dray::api::validation
