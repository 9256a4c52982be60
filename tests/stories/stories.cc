// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/stories.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <sstream>
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
using vectors::ReadReasons;
using vectors::Reasons;
using vectors::TextOf;

constexpr int kRaceAttemptsMax = 10;

struct Played {
  std::string name;
  std::string why_not;
  std::vector<std::string> differences;
};

/// Those of classic DRA with their release before the name: both releases have one of most names.
std::string NameOf(const json::object& story) {
  const std::string_view release = TextOf(story, "release");
  const std::string_view minor = release.substr(0, release.rfind('.'));
  const std::string name(TextOf(story, "name"));
  return minor == "1.30" || minor == "1.31" ? fmt::format("{}/{}", minor, name) : name;
}

/// In a file of one story, or of one in each line.
Result<> ReadStories(Disk& disk, const std::string& file, std::vector<json::object>& stories) {
  DRAY_TRY(const std::string text, vectors::ReadVectors(disk, file));
  const bool has_lines = file.contains(".jsonl");
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, has_lines ? '\n' : '\0');) {
    boost::system::error_code failed;
    json::value value = json::parse(part, failed);
    if (failed) return Fail(StatusReason::kBadRequest, file + " is no JSON");
    json::value* story =
        value.is_object() && has_lines ? value.get_object().if_contains("story") : &value;
    if (story == nullptr || !story->is_object() || !story->get_object().contains("steps")) continue;
    stories.push_back(std::move(story->get_object()));
  }
  return {};
}

std::vector<std::string> PlayOnce(const json::object& story,
                                  const std::string& program,
                                  size_t number) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("dray-story-{}-{}", getpid(), number);
  std::filesystem::create_directories(folder);
  const auto outcomes =
      Play(story, program, folder.string(), [&](size_t step, const StepOutcome& outcome) {
        return Differences(story, step, outcome).empty();
      });
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!outcomes) return {outcomes.error().message};
  std::vector<std::string> all;
  for (size_t i = 0; i < outcomes->size(); ++i) {
    for (std::string& difference : Differences(story, i, (*outcomes)[i])) {
      all.push_back(std::move(difference));
    }
  }
  return all;
}

struct Lists {
  Reasons except;
  Reasons races;
};

Played PlayOne(const json::object& story,
               const std::string& program,
               const Lists& lists,
               size_t number) {
  Played played{.name = NameOf(story), .why_not = WhyNotPlayed(story), .differences = {}};
  if (const auto reason = lists.except.find(played.name); reason != lists.except.end())
    played.why_not = reason->second;
  if (!played.why_not.empty()) return played;
  const int attempts = lists.races.contains(played.name) ? kRaceAttemptsMax : 1;
  for (int i = 0; i < attempts; ++i) {
    played.differences = PlayOnce(story, program, number);
    if (played.differences.empty()) break;
  }
  return played;
}

/// Those of the file, each of which must be one of the stories.
Result<Reasons> NamesIn(Disk& disk,
                        const std::string& file,
                        const std::vector<json::object>& stories) {
  DRAY_TRY(Reasons names, ReadReasons(disk, file));
  for (const auto& [name, reason] : names) {
    const bool is_known = std::ranges::any_of(
        stories, [&](const json::object& story) { return NameOf(story) == name; });
    if (!is_known) return Fail(StatusReason::kBadRequest, file + ": no story " + name);
  }
  return names;
}

}  // namespace

Result<vectors::Report> RunStories(Disk& disk,
                                   const std::vector<std::string>& files,
                                   const StoryOptions& options) {
  std::vector<json::object> stories;
  for (const std::string& file : files) DRAY_TRY_VOID(ReadStories(disk, file, stories));
  Lists lists;
  DRAY_TRY(lists.except, NamesIn(disk, options.except, stories));
  DRAY_TRY(lists.races, NamesIn(disk, options.races, stories));
  std::erase_if(stories, [&](const json::object& story) {
    return !options.name.empty() && NameOf(story) != options.name;
  });
  std::vector<Played> played(stories.size());
  std::atomic<size_t> next = 0;
  {
    std::vector<std::jthread> players;
    for (size_t i = 0; i < std::min(options.at_once, stories.size()); ++i) {
      players.emplace_back([&] {
        for (size_t story = next++; story < stories.size(); story = next++) {
          played[story] = PlayOne(stories[story], options.program, lists, story);
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
