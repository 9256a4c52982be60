// SPDX-License-Identifier: Apache-2.0
// What an expression says of many devices: how many match, what fails, what it cost, and which of
// its conjuncts is to blame. Pure: nothing is read and nothing printed.
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

/// Something that was said of several devices.
struct Counted {
  std::string text;
  size_t count = 0;
  size_t first = 0;  // the first of them, a place in the list of devices
};

/// Different texts in the order met, each once.
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

/// What there is to say about one conjunct.
struct ConjunctCount {
  std::string source;  // on one line
  size_t true_count = 0, false_count = 0, error_count = 0;
  size_t left = 0;        // devices for which this one and all before it are true
  size_t without_it = 0;  // devices that match all others
  std::vector<Counted> errors = {};
};

struct Survey {
  size_t devices = 0;
  std::vector<size_t> matching;          // places in the list; of a derived attribute: with a value
  size_t failing = 0;                    // evaluations without an answer
  std::vector<Counted> failures;         // in upstream's words
  std::vector<Counted> values;           // of a derived attribute, as JSON
  std::vector<PoolCount> pools;          // in the order of the list
  uint64_t cost_max = 0;                 // of one evaluation
  size_t costliest = 0;                  // the first device that cost so much
  std::vector<ConjunctCount> conjuncts;  // when asked for
  NameCensus names;
};

/// One of the two things an expression can be.
struct Expression {
  std::optional<cel::Selector> selector;
  std::optional<cel::DerivedAttribute> derived;
};

enum class Conjunctive : uint8_t { kNo, kYes };

/// Evaluates `expression`, whose text is `source`, on each device; with kYes (selectors only) its
/// conjuncts as well, each for itself: what the scalar evaluator says of `a && b` follows from what
/// it says of the parts, because errors are values. O(devices * conjuncts).
///
/// Errors: what a conjunct says that does not compile alone.
Result<Survey> SurveyDevices(const Expression& expression,
                             std::string_view source,
                             const cel::Environment& environment,
                             std::span<const PublishedDevice> devices,
                             Conjunctive conjunctive);

/// The conjuncts of which each alone keeps all devices out: without it some would match. Empty when
/// something matches, when no single one is to blame, and when there is one conjunct only.
std::vector<size_t> Responsible(const Survey& survey);

}  // namespace dray::planning::inline explain
