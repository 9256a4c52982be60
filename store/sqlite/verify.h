// SPDX-License-Identifier: Apache-2.0
// Checks whether an open store is sound; see Verify in store/sqlite/maintenance.h.
#pragma once

#include "store/sqlite/database.h"
#include "store/sqlite/maintenance.h"

namespace dray::store::sqlite {

/// Verifies the snapshot of the read transaction of `database`, if there is one.
VerifyReport VerifyDatabase(Database& database);

}  // namespace dray::store::sqlite
