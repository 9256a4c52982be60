// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/stories.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "tests/stories/comparison.h"
#include "tests/stories/player.h"
#include "tests/vectors/case_files.h"

namespace dray::stories {
namespace {

namespace json = boost::json;
using vectors::TextOf;

// Recorded is a defect of upstream's 1.37.0: vectors/stories/README.md, "Where Dray differs on
// purpose"; docs/differences.md says what happens here.
constexpr std::array<std::string_view, 10> kOtherwise = {
    "allocated-by-third-party",
    "allocated-without-finalizer",
    "claim-of-another-pod",
    "gang-shared-claim",
    "group-claim-template",
    "pod-same-claim-twice",
    "pool-status-incomplete",
    "rule-without-selector",
    "taint-noexecute-empty-effect-tolerates",
    "template-claim-deleted-before-scheduling"};

struct Played {
  std::string name;
  std::string why_not;
  std::vector<std::string> differences;
};

Played PlayOne(const json::object& story, const std::string& program, size_t number) {
  Played played{.name = std::string(TextOf(story, "name")),
                .why_not = WhyNotPlayed(story),
                .differences = {}};
  if (std::ranges::find(kOtherwise, played.name) != kOtherwise.end()) {
    played.why_not = "Dray does otherwise on purpose";
  }
  if (!played.why_not.empty()) return played;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("dray-story-{}-{}", getpid(), number);
  std::filesystem::create_directories(folder);
  const auto outcomes = Play(story, program, folder.string());
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!outcomes) {
    played.differences.push_back(outcomes.error().message);
  } else {
    played.differences = Differences(story, *outcomes);
  }
  return played;
}

}  // namespace

Result<vectors::Report> RunStories(Disk& disk,
                                   const std::vector<std::string>& files,
                                   const StoryOptions& options) {
  std::vector<json::object> stories;
  for (const std::string& file : files) {
    DRAY_TRY(const std::string text, vectors::ReadVectors(disk, file));
    boost::system::error_code failed;
    json::value value = json::parse(text, failed);
    if (failed) return Fail(StatusReason::kBadRequest, file + " is no JSON");
    if (!value.is_object() || !value.get_object().contains("steps")) continue;
    if (!options.name.empty() && TextOf(value.get_object(), "name") != options.name) continue;
    stories.push_back(std::move(value.get_object()));
  }
  std::vector<Played> played(stories.size());
  std::atomic<size_t> next = 0;
  {
    std::vector<std::jthread> players;
    for (size_t i = 0; i < std::min(options.at_once, stories.size()); ++i) {
      players.emplace_back([&] {
        for (size_t story = next++; story < stories.size(); story = next++) {
          played[story] = PlayOne(stories[story], options.program, story);
        }
      });
    }
  }
  vectors::Report report;
  for (const Played& one : played) {
    if (!one.why_not.empty()) {
      ++report.not_run[one.why_not];
    } else if (one.differences.empty()) {
      ++report.passed;
    } else if (options.name.empty()) {
      report.failures.push_back(fmt::format("{}: {} differences, first {}",
                                            one.name,
                                            one.differences.size(),
                                            one.differences.front()));
    } else {
      for (const std::string& difference : one.differences) {
        report.failures.push_back(fmt::format("{}: {}", one.name, difference));
      }
    }
  }
  return report;
}

}  // namespace dray::stories
