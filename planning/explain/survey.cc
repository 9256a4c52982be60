// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/survey.h"

#include <tuple>
#include <utility>

#include "api/codec/json.h"
#include "api/release.h"
#include "api/resource_v1/slice.h"
#include "base/try.h"
#include "cel/api_device.h"
#include "cel/device_activation.h"
#include "cel/syntax/conjuncts.h"

namespace dray::planning::inline explain {
namespace {

/// The result of one evaluation.
struct Outcome {
  bool matches = false;
  std::string error = {};  // empty: it succeeded
  std::string value = {};  // of a derived attribute
  uint64_t cost = 0;
};

Outcome OutcomeOf(const cel::Evaluation& evaluation) {
  const cel::EvaluationError* const error = evaluation.error();
  return {.matches = evaluation.matches(),
          .error = error == nullptr ? std::string() : error->message,
          .cost = evaluation.cost};
}

Outcome OutcomeOf(const cel::DerivedValue& evaluation) {
  Outcome outcome = {.matches = evaluation.attribute() != nullptr, .cost = evaluation.cost};
  if (outcome.matches) {
    using api::resource_v1::DeviceAttribute;
    api::EncodeJson(api::TypeOf<DeviceAttribute>(), evaluation.attribute(), outcome.value);
  } else {
    outcome.error = evaluation.error()->message;
  }
  return outcome;
}

/// The conjuncts of a selector and their results.
class ConjunctSurvey {
 public:
  Result<> Compile(std::string_view source, const cel::Environment& environment) {
    cel::Environment free = environment;
    free.purpose = cel::Purpose::kFree;  // operands of && need not be selectors
    for (const std::string_view conjunct : cel::syntax::Conjuncts(source)) {
      DRAY_TRY(cel::Selector selector, cel::Selector::Compile(conjunct, free));
      parts_.push_back({.selector = std::move(selector)});
      parts_.back().count.source = cel::syntax::OneLine(conjunct);
    }
    return {};
  }

  void Add(const cel::DeviceActivation& device, size_t index) {
    bool is_left = true;
    size_t unmet = 0;
    ConjunctCount* last_unmet = nullptr;
    for (Part& part : parts_) {
      const Outcome outcome = OutcomeOf(part.selector.Evaluate(device, work_));
      if (outcome.matches) {
        ++part.count.true_count;
      } else {
        ++unmet;
        last_unmet = &part.count;
        is_left = false;
        ++(outcome.error.empty() ? part.count.false_count : part.count.error_count);
        if (!outcome.error.empty()) part.errors.Count(outcome.error, index);
      }
      if (is_left) ++part.count.left;
    }
    if (unmet == 0) ++matching_;
    if (unmet == 1) ++last_unmet->without_it;
  }

  std::vector<ConjunctCount> Take() && {
    std::vector<ConjunctCount> counts;
    for (Part& part : parts_) {
      part.count.without_it += matching_;
      part.count.errors = part.errors.all();
      counts.push_back(std::move(part.count));
    }
    return counts;
  }

 private:
  struct Part {
    cel::Selector selector;
    ConjunctCount count = {};
    Counter errors = {};
  };
  /// A limit of a few seconds for all devices together.
  static constexpr uint64_t kSurveyWorkMax = 16 * cel::kWorkMax;

  std::vector<Part> parts_;
  size_t matching_ = 0;
  Work work_{kSurveyWorkMax};
};

/// Adds up the results of the devices.
class Sum {
 public:
  void Add(const PublishedDevice& device, size_t index, const Outcome& outcome) {
    ++survey_.devices;
    PoolCount& pool = PoolOf(device);
    ++pool.devices;
    if (!outcome.error.empty()) {
      ++survey_.failing;
      ++pool.failing;
      failures_.Count(outcome.error, index);
    } else if (outcome.matches) {
      survey_.matching.push_back(index);
      ++pool.matching;
      if (!outcome.value.empty()) values_.Count(outcome.value, index);
    }
    if (outcome.cost > survey_.cost_max) {
      survey_.cost_max = outcome.cost;
      survey_.costliest = index;
    }
  }

  NameCensus& names() { return survey_.names; }

  Survey Take(ConjunctSurvey conjuncts) && {
    survey_.failures = failures_.all();
    survey_.values = values_.all();
    survey_.conjuncts = std::move(conjuncts).Take();
    return std::move(survey_);
  }

 private:
  using PoolKey = std::tuple<std::string_view, std::string_view, std::string_view>;

  PoolCount& PoolOf(const PublishedDevice& device) {
    const PoolKey key(device.driver, device.pool, device.node);
    const auto [found, is_new] = pools_.try_emplace(key, survey_.pools.size());
    if (is_new) {
      survey_.pools.push_back({.driver = device.driver, .pool = device.pool, .node = device.node});
    }
    return survey_.pools[found->second];
  }

  Survey survey_;
  Counter failures_, values_;
  std::map<PoolKey, size_t> pools_;
};

/// Removes advice that older releases do not give.
std::string InWordsOf(std::string message, const cel::Environment& environment) {
  if (!environment.since(api::Release::kNewest)) return message;
  return message.empty() ? message : cel::WithHint(std::move(message));
}

}  // namespace

void Counter::Count(std::string_view text, size_t device) {
  auto found = places_.find(text);
  if (found == places_.end()) {
    found = places_.emplace(std::string(text), all_.size()).first;
    all_.push_back({.text = std::string(text), .first = device});
  }
  ++all_[found->second].count;
}

Result<Survey> SurveyDevices(const Expression& expression,
                             std::string_view source,
                             const cel::Environment& environment,
                             std::span<const PublishedDevice> devices,
                             Conjunctive conjunctive) {
  ConjunctSurvey conjuncts;
  if (conjunctive == Conjunctive::kYes) DRAY_TRY_VOID(conjuncts.Compile(source, environment));
  Sum sum;
  for (size_t i = 0; i < devices.size(); ++i) {
    const cel::Device device = cel::DeviceOf(devices[i].driver, *devices[i].device);
    const cel::DeviceActivation activation(device);
    sum.names().Add(device);
    // An expression is a selector or a derived attribute.
    Outcome outcome = expression.derived.has_value()
                          ? OutcomeOf(expression.derived->Evaluate(activation))
                          : OutcomeOf(expression.selector->Evaluate(activation));
    outcome.error = InWordsOf(std::move(outcome.error), environment);
    sum.Add(devices[i], i, outcome);
    if (conjunctive == Conjunctive::kYes) conjuncts.Add(activation, i);
  }
  return std::move(sum).Take(std::move(conjuncts));
}

std::vector<size_t> Responsible(const Survey& survey) {
  std::vector<size_t> places;
  if (!survey.matching.empty() || survey.conjuncts.size() < 2) return places;
  for (size_t i = 0; i < survey.conjuncts.size(); ++i) {
    if (survey.conjuncts[i].without_it > 0) places.push_back(i);
  }
  return places;
}

}  // namespace dray::planning::inline explain
