// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/stories.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
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

#include "base/try.h"
#include "tests/stories/comparison.h"
#include "tests/stories/player.h"
#include "tests/stories/plays.h"
#include "tests/stories/story_shape.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/shape.h"

namespace dray::stories {
namespace {

namespace json = boost::json;
using vectors::ReadReasons;
using vectors::Reasons;
using vectors::TextOf;

constexpr std::string_view kOne = ".json", kLines = ".jsonl";
constexpr std::string_view kRacesBeside = "races.txt";

struct Story {
  std::string place;  // its file, and the line in a file of many: "stories.jsonl, line 3"
  json::object document;
};

/// Those of classic DRA with their release before the name: both releases have one of most names.
std::string NameOf(const json::object& story) {
  const std::string_view release = TextOf(story, "release");
  const std::string_view minor = release.substr(0, release.rfind('.'));
  const std::string name(TextOf(story, "name"));
  return minor == "1.30" || minor == "1.31" ? fmt::format("{}/{}", minor, name) : name;
}

struct Reading {
  std::vector<Story> stories;
  std::vector<std::string> not_played;
};

/// Keeps `value` if it is a story, else reports its error.
void Take(json::value value, const std::string& place, Reading& reading) {
  if (const Result<> checked = CheckStory(value); !checked) {
    reading.not_played.push_back(fmt::format("{}: {}", place, checked.error().message));
    return;
  }
  reading.stories.push_back({.place = place, .document = std::move(value.get_object())});
}

/// One story, or an index of stories, which is a list.
void ReadFile(const std::string& text, const std::string& file, Reading& reading) {
  Result<json::value> value = vectors::ReadJson(text);
  if (!value) {
    reading.not_played.push_back(fmt::format("{}: {}", file, value.error().message));
  } else if (!value->is_array()) {
    Take(*std::move(value), file, reading);
  }
}

/// A story in each line, as its member "story"; a line without one is a remark.
void ReadLines(const std::string& text, const std::string& file, Reading& reading) {
  std::istringstream in(text);
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string place = fmt::format("{}, line {}", file, ++number);
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Result<json::value> value = vectors::ReadJson(line);
    if (!value || !value->is_object()) {
      reading.not_played.push_back(place + ": is no JSON object");
    } else if (json::value* story = value->get_object().if_contains("story")) {
      Take(std::move(*story), place, reading);
    }
  }
}

Reading ReadStories(Disk& disk, const std::vector<std::string>& files) {
  Reading reading;
  for (const std::string& file : files) {
    const Result<std::string> text = vectors::ReadVectors(disk, file);
    if (!text) {
      reading.not_played.push_back(fmt::format("{}: {}", file, text.error().message));
    } else if (file.contains(kLines)) {
      ReadLines(*text, file, reading);
    } else {
      ReadFile(*text, file, reading);
    }
  }
  return reading;
}

Result<std::vector<std::string>> PlayOnce(const json::object& story,
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
  DRAY_TRY_VOID(outcomes);
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
  Played played;
  const std::string name = NameOf(story);
  if (const auto reason = lists.except.find(name); reason != lists.except.end()) {
    played.why_not = reason->second;
    return played;
  }
  const auto play = [&] { return PlayOnce(story, program, number); };
  return lists.races.contains(name) ? PlayRace(play) : PlayUntilSure(play);
}

/// Adds a remark for each name that no story has: such an entry may be out of date.
void RemarkUnknown(const Reasons& names,
                   const std::string& file,
                   const std::vector<Story>& stories,
                   vectors::Report& report) {
  for (const auto& [name, reason] : names) {
    const bool is_known = std::ranges::any_of(
        stories, [&](const Story& story) { return NameOf(story.document) == name; });
    if (!is_known) report.summary.push_back(fmt::format("{}: no story {} here", file, name));
  }
}

/// Those of a file races.txt in each folder that a story is from.
Result<> ReadRacesBeside(Disk& disk, const std::vector<std::string>& files, Reasons& races) {
  std::set<std::string> folders;
  for (const std::string& file : files) {
    const std::string folder = std::filesystem::path(file).parent_path().string();
    folders.insert(folder.empty() ? "." : folder);
  }
  for (const std::string& folder : folders) {
    const Result<std::vector<std::string>> names = disk.List(folder);
    if (!names || std::ranges::find(*names, kRacesBeside) == names->end()) continue;
    DRAY_TRY(Reasons more, ReadReasons(disk, fmt::format("{}/{}", folder, kRacesBeside)));
    races.merge(more);
  }
  return {};
}

void Count(const Story& story,
           const Played& played,
           const StoryOptions& options,
           vectors::Report& report) {
  const std::string name = NameOf(story.document);
  if (!played.not_played.empty()) {
    report.not_played.push_back(fmt::format("{} ({}): {}", story.place, name, played.not_played));
  } else if (!played.why_not.empty()) {
    ++report.not_run[played.why_not];
  } else if (played.differences.empty()) {
    ++report.passed;
    if (!played.differed_once.empty()) {
      report.summary.push_back(
          fmt::format("{}: differed in one of three plays, {}", name, played.differed_once));
    }
  } else if (options.name.empty()) {
    report.failures.push_back(fmt::format("{}: {} differences, first {}",
                                          name,
                                          played.differences.size(),
                                          played.differences.front()));
  } else {
    for (const std::string& difference : played.differences) {
      report.failures.push_back(fmt::format("{}: {}", name, difference));
    }
  }
}

}  // namespace

Result<std::vector<std::string>> StoryFilesIn(Disk& disk, const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!disk.IsFolder(path)) {
      files.push_back(path);
      continue;
    }
    for (const std::string_view ending : {kOne, kLines}) {
      DRAY_TRY(const std::vector<std::string> inside, vectors::VectorFilesIn(disk, path, ending));
      files.insert(files.end(), inside.begin(), inside.end());
    }
  }
  return files;
}

Result<vectors::Report> RunStories(Disk& disk,
                                   const std::vector<std::string>& files,
                                   const StoryOptions& options) {
  vectors::Report report;
  Reading reading = ReadStories(disk, files);
  std::vector<Story>& stories = reading.stories;
  report.not_played = std::move(reading.not_played);
  Lists lists;
  DRAY_TRY(lists.except, ReadReasons(disk, options.except));
  DRAY_TRY(lists.races, ReadReasons(disk, options.races));
  if (options.name.empty()) {
    RemarkUnknown(lists.except, options.except, stories, report);
    RemarkUnknown(lists.races, options.races, stories, report);
  }
  DRAY_TRY_VOID(ReadRacesBeside(disk, files, lists.races));
  std::erase_if(stories, [&](const Story& story) {
    return !options.name.empty() && NameOf(story.document) != options.name;
  });
  if (stories.empty() && report.not_played.empty()) {
    return Fail(StatusReason::kBadRequest,
                options.name.empty() ? "no story in what was named" : "no story " + options.name);
  }
  std::vector<Played> played(stories.size());
  std::atomic<size_t> next = 0;
  {
    std::vector<std::jthread> players;
    for (size_t i = 0; i < std::min(options.at_once, stories.size()); ++i) {
      players.emplace_back([&] {
        for (size_t story = next++; story < stories.size(); story = next++) {
          played[story] = PlayOne(stories[story].document, options.program, lists, story);
        }
      });
    }
  }
  for (size_t i = 0; i < stories.size(); ++i) Count(stories[i], played[i], options, report);
  return report;
}

}  // namespace dray::stories
