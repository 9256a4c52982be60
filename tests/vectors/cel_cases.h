// SPDX-License-Identifier: Apache-2.0
// The formats of the CEL vectors, one function each, and their results.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "api/release.h"
#include "tests/vectors/cel_vectors.h"
#include "tests/vectors/report.h"

namespace dray::vectors {

/// "1.36"; nothing when `label` is no release.
std::optional<api::Release> ReleaseOf(std::string_view label);
std::string LabelOf(api::Release release);

/// One file during a run: its selected cases, and their results.
class CelFile {
 public:
  CelFile(std::string name, const boost::json::object& json, const CelOptions& options)
      : name_(std::move(name)), json_(json), options_(options) {}

  const boost::json::object& json() const { return json_; }
  bool IsChosen(std::string_view id, api::Release release) const;
  /// An empty `difference` means that the case passed.
  void Record(std::string_view id, api::Release release, const std::string& difference);
  void Skip(std::string_view reason) { ++not_run_[std::string(reason)]; }
  /// Adds everything to `report`, with one line per release.
  void AddTo(Report& report) const;

 private:
  struct Tally {
    size_t passed = 0;
    size_t failed = 0;
  };

  std::string name_;
  const boost::json::object& json_;
  const CelOptions& options_;
  std::map<api::Release, Tally> tallies_;
  std::vector<std::string> failures_;
  std::map<std::string, size_t> not_run_;
};

void RunMeasuredCases(CelFile& file);   // k8s-measured/1
void RunCostLimitCases(CelFile& file);  // k8s-cost-limit/1
void RunSelectorCases(CelFile& file);   // dra-selector/1
void RunDerivedCases(CelFile& file);    // dra-derived/1
void RunLanguageCases(CelFile& file);   // cel-simple-test/1
void RunSignatures(CelFile& file);      // cel-env-signatures/1

}  // namespace dray::vectors
