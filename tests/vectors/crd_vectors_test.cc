// SPDX-License-Identifier: Apache-2.0
// The recordings of custom resources in tests/rest/crd_equal.txt are answered as by the real
// server.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/world.h"
#include "tests/rest/rest_vectors.h"
#include "tests/vectors/shared_folder.h"

namespace dray::vectors {
namespace {

// The scenarios that the list names, one a line, as files of `folder`.
std::vector<std::string> NamedScenarios(const std::string& folder) {
  const Result<std::string> list =
      RealWorld().disk.Read(DRAY_SOURCE_DIR "/tests/rest/crd_equal.txt");
  std::vector<std::string> files;
  std::string_view rest = list.has_value() ? std::string_view(*list) : std::string_view();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!line.empty() && !line.starts_with('#')) {
      files.push_back(fmt::format("{}/{}.json", folder, line));
    }
  }
  return files;
}

// DRAY_CRD_VECTORS names another folder of scenarios, all of which must be equal.
TEST(CrdVectors, RecordedRequestsAreAnsweredAlike) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing else runs yet
  const char* const other = std::getenv("DRAY_CRD_VECTORS");
  const std::string folder = SharedFolder() + "/vectors/crd/crd-1.37";
  if (other == nullptr && !RealWorld().disk.IsFolder(folder)) {
    GTEST_SKIP() << "no vectors: set DRAY_SHARED to a folder that has them";
  }
  const std::vector<std::string> paths =
      other != nullptr ? std::vector<std::string>{other} : NamedScenarios(folder);
  const Result<Report> report =
      rest::RunRestVectors(RealWorld().disk, paths, {.program = DRAY_PROGRAM, .at_once = 4});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  for (const std::string& one : report->not_played) ADD_FAILURE() << one;
  EXPECT_GT(report->passed, 0U);
  fmt::print("{} passed, {} failed\n", report->passed, report->failures.size());
}

}  // namespace
}  // namespace dray::vectors
