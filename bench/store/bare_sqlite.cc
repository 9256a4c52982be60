// SPDX-License-Identifier: Apache-2.0
#include "bench/store/bare_sqlite.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "base/check.h"
#include "base/world.h"
#include "bench/store/figures.h"

namespace dray::bench {
namespace {

void Execute(sqlite3* database, const char* sql) {
  DRAY_CHECK(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
}

}  // namespace

double BareSqliteRate(const std::string& file,
                      const std::vector<size_t>& batches,
                      size_t warm,
                      const std::vector<std::string>& values) {
  sqlite3* database = nullptr;
  DRAY_CHECK(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
  Execute(database,
          "PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
          "CREATE TABLE log (revision INTEGER PRIMARY KEY, key TEXT, value BLOB)");
  sqlite3_stmt* insert = nullptr;
  DRAY_CHECK(
      sqlite3_prepare_v2(database, "INSERT INTO log VALUES (?1, ?2, ?3)", -1, &insert, nullptr) ==
      SQLITE_OK);
  int64_t revision = 0;
  MonotonicTime begin = Now();
  int64_t before = 0;
  for (size_t batch = 0; batch < batches.size(); ++batch) {
    if (batch == warm) {
      begin = Now();
      before = revision;
    }
    Execute(database, "BEGIN IMMEDIATE");
    for (size_t i = 0; i < batches[batch]; ++i) {
      const auto number = static_cast<uint64_t>(++revision);
      const std::string key = KeyOf(number % 1'000);
      const std::string& value = values[number % values.size()];
      sqlite3_bind_int64(insert, 1, revision);
      sqlite3_bind_text(insert, 2, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
      sqlite3_bind_blob(insert, 3, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
      DRAY_CHECK(sqlite3_step(insert) == SQLITE_DONE);
      sqlite3_reset(insert);
    }
    Execute(database, "COMMIT");
  }
  const double seconds = SecondsSince(begin);
  sqlite3_finalize(insert);
  sqlite3_close(database);
  return static_cast<double>(revision - before) / seconds;
}

}  // namespace dray::bench
