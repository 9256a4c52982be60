// SPDX-License-Identifier: Apache-2.0
// The conformance suite of stores, for the store in a file.
#include <deque>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/result.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/testing/fault_disk.h"
#include "store/sqlite/testing/folder.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::sqlite {
namespace {

using store::testing::Backend;
using store::testing::BackendName;
using store::testing::StoreCommit;
using store::testing::StoreExpiry;
using store::testing::StoreLimits;
using store::testing::StoreProperty;
using store::testing::StoreReading;
using store::testing::StoreThreads;
using store::testing::StoreWatching;
using testing::FaultDisk;
using testing::TestFolder;

/// Objects that stores need until the tests are over.
struct Places {
  FaultDisk disk;  // without faults: as a file, but syncing costs nothing
  std::deque<TestFolder> folders;
};

auto InAFile() {
  return ::testing::Values(Backend{
      .name = "Sqlite",
      .open = [places =
                   std::make_shared<Places>()](const Options& options) -> std::unique_ptr<Store> {
        const std::string& folder = places->folders.emplace_back().path();
        return *SqliteStore::Open(folder, options, {.vfs = places->disk.vfs()});
      },
  });
}

/// The same on the machine's own disk, where syncing is slow, for the suites with few commits.
auto OnDisk() {
  return ::testing::Values(Backend{
      .name = "SqliteOnDisk",
      .open = [folders = std::make_shared<std::deque<TestFolder>>()](
                  const Options& options) -> std::unique_ptr<Store> {
        return *SqliteStore::Open(folders->emplace_back().path(), options);
      },
  });
}

INSTANTIATE_TEST_SUITE_P(OnDisk, StoreCommit, OnDisk(), BackendName);
INSTANTIATE_TEST_SUITE_P(OnDisk, StoreLimits, OnDisk(), BackendName);
INSTANTIATE_TEST_SUITE_P(OnDisk, StoreExpiry, OnDisk(), BackendName);

INSTANTIATE_TEST_SUITE_P(, StoreCommit, InAFile(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreLimits, InAFile(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreReading, InAFile(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreWatching, InAFile(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreExpiry, InAFile(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreProperty, InAFile(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreThreads, InAFile(), BackendName);

}  // namespace
}  // namespace dray::store::sqlite
