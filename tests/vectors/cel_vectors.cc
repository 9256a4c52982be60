// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/cel_vectors.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/try.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/cel_cases.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;

// Values are nested as deep as the parser lets expressions be.
constexpr size_t kJsonDepthMax = 2000;

struct Format {
  std::string_view name;
  void (*run)(CelFile&);
};

constexpr Format kFormats[] = {
    {"k8s-measured/1", RunMeasuredCases},
    {"k8s-cost-limit/1", RunCostLimitCases},
    {"dra-selector/1", RunSelectorCases},
    {"dra-derived/1", RunDerivedCases},
    {"cel-simple-test/1", RunLanguageCases},
    {"cel-env-signatures/1", RunSignatures},
};

Result<json::value> ReadFile(Disk& disk, const std::string& path) {
  DRAY_TRY(const std::string text, ReadVectors(disk, path));
  json::parse_options options;
  options.max_depth = kJsonDepthMax;
  boost::system::error_code error;
  json::value file = json::parse(text, error, {}, options);
  if (error || !file.is_object()) {
    return Fail(StatusReason::kBadRequest, path + ": not a file of vectors");
  }
  return file;
}

}  // namespace

// Not api::ParseRelease: expressions were measured with releases that no server plays.
std::optional<api::Release> ReleaseOf(std::string_view label) {
  constexpr std::string_view kMajor = "1.";
  if (!label.starts_with(kMajor)) return std::nullopt;
  int minor = 0;
  const auto [end, error] =
      std::from_chars(label.data() + kMajor.size(), label.data() + label.size(), minor);
  const auto release = static_cast<api::Release>(minor);
  if (error != std::errc() || end != label.data() + label.size()) return std::nullopt;
  if (release < api::Release::k1_30 || release > api::Release::kNewest) return std::nullopt;
  return release;
}

std::string LabelOf(api::Release release) {
  return fmt::format("1.{}", api::MinorOf(release));
}

bool CelFile::IsChosen(std::string_view id, api::Release release) const {
  return (options_.name.empty() || options_.name == id) &&
         (options_.release.empty() || options_.release == LabelOf(release));
}

void CelFile::Record(std::string_view id, api::Release release, const std::string& difference) {
  Tally& tally = tallies_[release];
  if (difference.empty()) {
    ++tally.passed;
    return;
  }
  ++tally.failed;
  failures_.push_back(fmt::format("{} in {}: {}", id, LabelOf(release), difference));
}

void CelFile::AddTo(Report& report) const {
  for (const auto& [release, tally] : tallies_) {
    report.passed += tally.passed;
    report.summary.push_back(fmt::format(
        "{} {}: {} of {}", name_, LabelOf(release), tally.passed, tally.passed + tally.failed));
  }
  report.failures.insert(report.failures.end(), failures_.begin(), failures_.end());
  for (const auto& [reason, count] : not_run_) report.not_run[reason] += count;
}

Result<Report> RunCelVectors(Disk& disk,
                             const std::vector<std::string>& files,
                             const CelOptions& options) {
  Report report;
  for (const std::string& path : files) {
    DRAY_TRY(const json::value json, ReadFile(disk, path));
    const std::string_view name = TextOf(json.as_object(), "format");
    const auto* const format = std::ranges::find(kFormats, name, &Format::name);
    if (format == std::end(kFormats)) {
      return Fail(StatusReason::kBadRequest, fmt::format("{}: unknown format {}", path, name));
    }
    CelFile file(path.substr(path.rfind('/') + 1), json.as_object(), options);
    format->run(file);
    file.AddTo(report);
  }
  return report;
}

}  // namespace dray::vectors
