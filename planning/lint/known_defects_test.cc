// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/known_defects.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace dray::planning::inline lint {
namespace {

TEST(ClusterReleases, AreReadWithPatchAndVendor) {
  struct Case {
    const char* version;
    const char* want;
    bool is_of_vendor;
  };
  for (const Case& one : {Case{"v1.36.1", "1.36.1", false},
                          Case{"1.36", "1.36", false},
                          Case{"v1.34.2-gke.1", "1.34.2", true},
                          Case{"v1.33.4+k3s1", "1.33.4", true},
                          Case{"v2.1.0", "", false},
                          Case{"", "", false},
                          Case{"v1.x", "", false}}) {
    SCOPED_TRACE(one.version);
    const ClusterRelease release = ReleaseIn(one.version);
    EXPECT_EQ(release.ToString(), one.want);
    EXPECT_EQ(release.is_of_vendor, one.is_of_vendor);
  }
}

TEST(KnownDefects, AreOfReleasesFromFirstToLast) {
  constexpr PatchRange kIn[] = {{35, 0, 5}, {36, 1, 1}, {37}};
  const KnownDefect defect{
      .issue = "a#1", .in = kIn, .says = "", .advice = "", .mended = "", .sign = nullptr};
  struct Case {
    const char* version;
    const char* want;
  };
  for (const Case& one : {Case{"1.34.9", ""},
                          Case{"1.35.0", "1.35.0"},
                          Case{"1.35.5", "1.35.5"},
                          Case{"1.35.6", ""},
                          Case{"1.35", "1.35.0 to 1.35.5"},
                          Case{"1.36.0", ""},
                          Case{"1.36", "1.36.1"},
                          Case{"1.37.9", "1.37.9"},
                          Case{"1.37", "1.37"},
                          Case{"1.38.0", ""}}) {
    SCOPED_TRACE(one.version);
    EXPECT_EQ(ReleasesWith(defect, ReleaseIn(one.version)), one.want);
  }
}

TEST(KnownDefects, HaveAnIssueASentenceAndASignEach) {
  std::set<std::string> issues;
  for (const KnownDefect& defect : KnownDefects()) {
    SCOPED_TRACE(defect.issue);
    EXPECT_TRUE(issues.emplace(defect.issue).second);
    EXPECT_TRUE(defect.issue.starts_with("kubernetes#"));
    EXPECT_FALSE(defect.in.empty());
    EXPECT_FALSE(defect.says.empty() || defect.says.ends_with('.'));
    EXPECT_FALSE(defect.advice.empty());
    EXPECT_NE(defect.sign, nullptr);
    int before = 0;
    for (const PatchRange& range : defect.in) {
      EXPECT_GT(range.minor, before);
      EXPECT_LE(range.first, range.last);
      before = range.minor;
    }
  }
}

}  // namespace
}  // namespace dray::planning::inline lint
