// SPDX-License-Identifier: Apache-2.0
// A folder for one test, gone with it.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/check.h"

namespace dray::store::sqlite::testing {

class TestFolder {
 public:
  TestFolder() : path_(::testing::TempDir() + "dray-store-XXXXXX") {
    DRAY_CHECK(mkdtemp(path_.data()) != nullptr);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace dray::store::sqlite::testing
