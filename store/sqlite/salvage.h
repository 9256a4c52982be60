// SPDX-License-Identifier: Apache-2.0
// Finds records of the log in bytes of pages, whatever has become of the tree that they belonged
// to. A record carries a checksum of all that it says, so what is found is what was written.
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

/// A LogRow with bytes of its own.
struct SavedRow {
  std::string key;
  std::optional<std::string> value;
  LogRow fields;  // key and value are empty

  /// Valid as long as this.
  LogRow row() const;
};

/// By position.
using SavedRows = std::map<int64_t, SavedRow>;

/// A page of the file by its number, as it was at the time in question; empty if there is none.
using PageLookup = std::function<std::string_view(uint32_t page)>;

/// Adds the intact records on `page`, if it is a leaf of the log's tree, of revisions later than
/// `after`. Long values go on in other pages, which `lookup` knows. What is damaged is passed over.
void SalvagePage(std::string_view page,
                 uint32_t number,
                 Revision after,
                 const PageLookup& lookup,
                 SavedRows& rows);

}  // namespace dray::store::sqlite
