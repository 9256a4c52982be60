// SPDX-License-Identifier: Apache-2.0
// Whether an open store is sound; Verify in store/sqlite/maintenance.h says what that means.
#pragma once

#include "store/sqlite/database.h"
#include "store/sqlite/maintenance.h"

namespace dray::store::sqlite {

/// Of the moment that `database` holds on to, if it does.
VerifyReport VerifyDatabase(Database& database);

}  // namespace dray::store::sqlite
