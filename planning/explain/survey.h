// SPDX-License-Identifier: Apache-2.0
// Evaluates an expression on many devices: how many match, what fails, what it costs, and which of
// its conjuncts is to blame. Pure: reads no files and prints nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/derived_attribute.h"
#include "cel/language/environment.h"
#include "cel/selector.h"
#include "planning/objects/name_census.h"
#include "planning/objects/published_devices.h"

namespace dray::planning::inline explain {

/// A text with the number of devices that it applies to.
struct Counted {
  std::string text;
  size_t count = 0;
  size_t first = 0;  // index of the first of them in the list of devices
};

/// Counts different texts, in the order of their first occurrence.
class Counter {
 public:
  void Count(std::string_view text, size_t device);
  const std::vector<Counted>& all() const { return all_; }

 private:
  std::map<std::string, size_t, std::less<>> places_;
  std::vector<Counted> all_;
};

struct PoolCount {
  std::string_view driver, pool, node;
  size_t devices = 0, matching = 0, failing = 0;
};

/// The results of one conjunct.
struct ConjunctCount {
  std::string source;  // on one line
  size_t true_count = 0, false_count = 0, error_count = 0;
  size_t left = 0;        // devices for which this one and all before it are true
  size_t without_it = 0;  // devices that match all others
  std::vector<Counted> errors = {};
};

struct Survey {
  size_t devices = 0;
  std::vector<size_t> matching;          // indexes; of a derived attribute: devices with a value
  size_t failing = 0;                    // evaluations that failed
  std::vector<Counted> failures;         // in upstream's words
  std::vector<Counted> values;           // of a derived attribute, as JSON
  std::vector<PoolCount> pools;          // in the order of the list
  uint64_t cost_max = 0;                 // of one evaluation
  size_t costliest = 0;                  // the first device with that cost
  std::vector<ConjunctCount> conjuncts;  // if requested
  NameCensus names;
};

/// A selector or a derived attribute.
struct Expression {
  std::optional<cel::Selector> selector;
  std::optional<cel::DerivedAttribute> derived;
};

enum class Conjunctive : uint8_t { kNo, kYes };

/// Evaluates `expression`, whose text is `source`, on each device; with kYes (selectors only) also
/// each of its conjuncts alone. The scalar evaluator's result for `a && b` follows from the results
/// of the parts, because errors are values. O(devices * conjuncts).
///
/// Errors: those of a conjunct that does not compile alone.
Result<Survey> SurveyDevices(const Expression& expression,
                             std::string_view source,
                             const cel::Environment& environment,
                             std::span<const PublishedDevice> devices,
                             Conjunctive conjunctive);

/// The conjuncts that alone reject all devices: without the conjunct some device would match. Empty
/// if a device matches, if no single conjunct is to blame, and if there is only one conjunct.
std::vector<size_t> Responsible(const Survey& survey);

}  // namespace dray::planning::inline explain
