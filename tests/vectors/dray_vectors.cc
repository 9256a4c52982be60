// SPDX-License-Identifier: Apache-2.0
// dray-vectors KIND DIR|FILE…: runs vectors of a kind and prints each failure. Exit code 0 when all
// passed, 1 when some failed, 2 for bad usage, an unreadable file, or a case that could not be
// replayed. dray-vectors gen: prints random problems for the allocator. dray-vectors pods: random
// pods and the objects for them.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "base/world.h"
#include "tests/judges/generate.h"
#include "tests/rest/rest_vectors.h"
#include "tests/stories/stories.h"
#include "tests/vectors/allocator_vectors.h"
#include "tests/vectors/api_vectors.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/cel_vectors.h"
#include "tests/vectors/conversion_vectors.h"
#include "tests/vectors/manifest_vectors.h"
#include "tests/vectors/merge_back_vectors.h"
#include "tests/vectors/validation_vectors.h"

namespace {

using dray::Disk;
using dray::Result;
using dray::vectors::Report;

constexpr std::string_view kUsage =
    "usage: dray-vectors KIND [--profile NAME] [--release N] [--kinds GROUP/VERSION/] [--name "
    "CASE] DIR|FILE…\n"
    "       dray-vectors gen [OPTION…]: random allocator problems; --help says more\n"
    "       dray-vectors pods SEED: random pods, and a cluster for them, as a List\n"
    "kinds: allocator    problems and upstream's answers, JSON Lines; those of all profiles "
    "unless chosen\n"
    "       api          objects as upstream's types write them, folders of releases\n"
    "       cel          expressions and what upstream made of them; all releases unless chosen\n"
    "       validation   requests and what upstream's API server said; all releases unless chosen\n"
    "       conversion   objects as each version of a release shows them, and what comes back\n"
    "       defaulting   objects before and after defaulting\n"
    "       merge-back   objects read through one version, written back, read through another\n"
    "       manifests    a folder of manifests with verdicts.json\n"
    "       stories      what a real control plane wrote, step by step; --dray PROGRAM plays "
    "them,\n"
    "                    --except FILE leaves out those it names, a line each: name: why\n"
    "                    --races FILE names those that go one of two ways: played up to a hundred "
    "times;\n"
    "                    so does a file races.txt beside the stories\n"
    "       rest         requests and what real API servers answered; --dray and --except as "
    "above,\n"
    "                    --name BEGINNING of scenarios\n"
    "exit code: 0 all passed, 1 some failed, 2 bad usage or something could not be played\n";

struct Arguments {
  std::string kind;
  std::vector<std::string> paths;
  dray::vectors::AllocatorOptions allocator;
  dray::vectors::ApiVectorOptions api;
  dray::stories::StoryOptions stories;
};

/// Where to store the value of an option; null if it is not an option.
std::string* ValueOf(std::string_view option, Arguments& arguments) {
  const std::pair<std::string_view, std::string*> options[] = {
      {"--profile", &arguments.allocator.profile},
      {"--release", &arguments.api.release},
      {"--kinds", &arguments.api.kinds},
      {"--name", &arguments.api.name},
      {"--dray", &arguments.stories.program},
      {"--except", &arguments.stories.except},
      {"--races", &arguments.stories.races},
  };
  for (const auto& [name, value] : options) {
    if (name == option) return value;
  }
  return nullptr;
}

/// Returns nothing if they are not as in kUsage.
std::optional<Arguments> Parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string* option = ValueOf(words[i], arguments);
    if (option != nullptr && i + 1 < words.size()) {
      *option = words[++i];
    } else if (words[i].starts_with("-")) {
      return std::nullopt;
    } else if (arguments.kind.empty()) {
      arguments.kind = words[i];
    } else {
      arguments.paths.push_back(words[i]);
    }
  }
  if (arguments.paths.empty()) return std::nullopt;
  return arguments;
}

/// The files with that ending, or it and .gz, in all folders named, and the files named.
Result<std::vector<std::string>> Collect(Disk& disk,
                                         const std::vector<std::string>& paths,
                                         std::string_view ending) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!disk.IsFolder(path)) {
      files.push_back(path);
      continue;
    }
    DRAY_TRY(const std::vector<std::string> inside,
             dray::vectors::VectorFilesIn(disk, path, ending));
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

Result<Report> Run(Disk& disk, const Arguments& arguments) {
  if (arguments.kind == "api") return dray::vectors::RunApiVectors(disk, arguments.paths);
  if (arguments.kind == "manifests") {
    return dray::vectors::RunManifestVectors(dray::RealWorld(), arguments.paths.front());
  }
  if (arguments.kind == "rest") {
    return dray::rest::RunRestVectors(disk,
                                      arguments.paths,
                                      {.program = arguments.stories.program,
                                       .name = arguments.api.name,
                                       .except = arguments.stories.except});
  }
  const bool is_allocator = arguments.kind == "allocator";
  DRAY_TRY(std::vector<std::string> files,
           Collect(disk, arguments.paths, is_allocator ? ".jsonl" : ".json"));
  if (arguments.kind == "stories") {
    DRAY_TRY(files, dray::stories::StoryFilesIn(disk, arguments.paths));
  }
  if (is_allocator) return dray::vectors::RunAllocatorVectors(disk, files, arguments.allocator);
  if (arguments.kind == "stories") {
    dray::stories::StoryOptions stories = arguments.stories;
    stories.name = arguments.api.name;
    return dray::stories::RunStories(disk, files, stories);
  }
  if (arguments.kind == "validation") {
    return dray::vectors::RunValidationVectors(disk, files, arguments.api);
  }
  if (arguments.kind == "cel") {
    return dray::vectors::RunCelVectors(
        disk, files, {.release = arguments.api.release, .name = arguments.api.name});
  }
  const dray::vectors::ObjectVectorOptions objects = {.release = arguments.api.release,
                                                      .name = arguments.api.name};
  if (arguments.kind == "merge-back") {
    return dray::vectors::RunMergeBackVectors(disk, arguments.paths);
  }
  if (arguments.kind == "conversion") {
    return dray::vectors::RunConversionVectors(disk, files, objects);
  }
  if (arguments.kind == "defaulting") {
    return dray::vectors::RunDefaultingVectors(disk, files, objects);
  }
  return dray::Fail(dray::StatusReason::kBadRequest, "unknown kind " + arguments.kind);
}

int Print(const Report& report) {
  for (const std::string& failure : report.failures) fmt::print("FAILED {}\n", failure);
  for (const std::string& one : report.not_played) fmt::print("COULD NOT BE PLAYED {}\n", one);
  for (const std::string& line : report.summary) fmt::print("{}\n", line);
  size_t skipped = 0;
  for (const auto& [reason, count] : report.not_run) {
    fmt::print("skipped: {} ({})\n", count, reason);
    skipped += count;
  }
  fmt::print("{} passed, {} failed, {} skipped", report.passed, report.failures.size(), skipped);
  if (!report.not_played.empty()) fmt::print(", {} could not be played", report.not_played.size());
  fmt::print("\n");
  if (!report.not_played.empty()) return 2;
  return report.failures.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "gen") {
    return dray::judges::RunGenerate(std::span(words).subspan(1), dray::RealWorld().disk);
  }
  if (!words.empty() && words.front() == "pods")
    return dray::judges::RunGeneratePods(std::span(words).subspan(1));
  const std::optional<Arguments> arguments = Parse(words);
  if (!arguments) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  const Result<Report> report = Run(dray::RealWorld().disk, *arguments);
  if (!report) {
    fmt::print(stderr, "dray-vectors: {}\n", report.error().message);
    return 2;
  }
  return Print(*report);
}
