// SPDX-License-Identifier: Apache-2.0
// Finds records of the log in bytes of pages, even if the tree that they belonged to is damaged. A
// record has a checksum over all its fields, so a record found is as it was written.
// https://www.sqlite.org/fileformat.html#b_tree_pages
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/strong.h"
#include "base/world.h"
#include "store/sqlite/log_row.h"

namespace dray::store::sqlite {

/// A LogRow that owns its bytes.
struct SavedRow {
  std::string key;
  std::optional<std::string> value;
  LogRow fields;  // key and value are empty

  /// Valid as long as this object.
  LogRow row() const;
};

/// By position.
using SavedRows = std::map<int64_t, SavedRow>;

/// Returns a page of the file by its number, as of the moment in question; empty if there is none.
using PageLookup = std::function<std::string_view(uint32_t page)>;

/// Adds the intact records on `page`, if it is a leaf of the log's tree, of revisions later than
/// `after`. Reads the overflow pages of long values through `lookup`. Skips damaged records.
void SalvagePage(std::string_view page,
                 uint32_t number,
                 Revision after,
                 const PageLookup& lookup,
                 SavedRows& rows);

}  // namespace dray::store::sqlite
