// SPDX-License-Identifier: Apache-2.0
#include "server/policies/evaluation.h"

#include <algorithm>
#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "base/text/ascii.h"
#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::server::policies {
namespace {

using cel::Arena;
using cel::Value;

constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

// The values of named expressions: computed when they are first asked for, once in a round.
class NamedValues final : public cel::MapView {
 public:
  NamedValues(std::span<const CompiledVariable> named, const Variables& values, Arena& arena)
      : named_(named), values_(values), arena_(arena), known_(named.size()) {
    values_.variables = Value::FromMap(arena.Keep(cel::Map{.view = this}));
  }

  const Value* Find(std::string_view key) override {
    const auto found = std::ranges::find(named_, key, &CompiledVariable::name);
    if (found == named_.end()) return nullptr;
    std::optional<Value>& value = known_[static_cast<size_t>(found - named_.begin())];
    if (!value.has_value()) value = Compute(*found);
    return &*value;
  }

  const Variables& values() const { return values_; }
  Arena& arena() { return arena_; }
  int64_t TakeCost() { return std::exchange(cost_, 0); }

 private:
  Value Compute(const CompiledVariable& variable) {
    const auto fails = [&](std::string_view how, std::string_view why) {
      return cel::MakeError(
          arena_,
          fmt::format(
              "composited variable {} fails to {}: {}", api::GoQuote(variable.name), how, why));
    };
    const CompiledExpression& expression = variable.expression;
    if (!expression.program.has_value()) {
      return fails("compile", expression.program.error().message);
    }
    const std::vector<Value> variables = InOrder(values_, expression.declared);
    cel::eval::Meter meter(cel::kSelectorCostMax);
    const Value value = cel::eval::Evaluate(**expression.program, variables, arena_, meter);
    cost_ += static_cast<int64_t>(meter.spent());
    return value.is_error() ? fails("evaluate", value.text()) : value;
  }

  const std::span<const CompiledVariable> named_;
  Variables values_;
  Arena& arena_;
  std::vector<std::optional<Value>> known_;
  int64_t cost_ = 0;
};

// What one expression came to; nothing where there is no expression.
struct Outcome {
  std::optional<Value> value;
  std::string error;
  double seconds = 0;
};

// Evaluates expressions one after the other until the budget is spent, which is the error.
class Round {
 public:
  Round(std::span<const CompiledVariable> named,
        const Variables& values,
        Arena& arena,
        int64_t budget,
        const Clock* clock = nullptr)
      : named_(named, values, arena), left_(budget), clock_(clock) {}

  std::expected<std::vector<Outcome>, std::string> Run(
      std::span<const CompiledExpression> expressions) {
    std::vector<Outcome> outcomes;
    for (const CompiledExpression& expression : expressions) {
      Outcome outcome;
      const MonotonicTime begin = Now();
      if (expression.is_there && !Evaluate(expression, outcome)) {
        return std::unexpected(std::string(kOutOfBudget));
      }
      outcome.seconds = std::chrono::duration<double>(Now() - begin).count();
      outcomes.push_back(std::move(outcome));
    }
    return outcomes;
  }

  int64_t left() const { return left_; }

 private:
  MonotonicTime Now() const { return clock_ == nullptr ? MonotonicTime() : clock_->Monotonic(); }

  // Returns false when the budget is spent.
  bool Evaluate(const CompiledExpression& expression, Outcome& outcome) {
    if (!expression.program.has_value()) {
      outcome.error = fmt::format("compilation error: {}", expression.program.error().message);
      return true;
    }
    const std::vector<Value> variables = InOrder(named_.values(), expression.declared);
    cel::eval::Meter meter(cel::kSelectorCostMax);
    const Value value = cel::eval::Evaluate(**expression.program, variables, named_.arena(), meter);
    const int64_t cost = named_.TakeCost() + static_cast<int64_t>(meter.spent());
    if (cost > left_) return false;
    left_ -= cost;
    if (value.is_error()) {
      outcome.error =
          fmt::format("expression '{}' resulted in error: {}", expression.text, value.text());
    } else {
      outcome.value = value;
    }
    return true;
  }

  NamedValues named_;
  int64_t left_;
  const Clock* clock_;
};

StatusReason ReasonOf(const std::optional<std::string>& word) {
  return word.has_value() && !word->empty() ? ReasonNamed(*word) : StatusReason::kInvalid;
}

// What the messageExpression made, where it is fit to be shown.
std::string MadeMessage(const Outcome* made) {
  if (made == nullptr || !made->value.has_value()) return {};
  if (!made->value->is(cel::ValueKind::kString)) return {};
  const std::string_view text = TrimSpace(made->value->text());
  const bool is_fit = text.size() <= kMessageBytesMax && !text.contains('\n');
  return is_fit ? std::string(text) : std::string();
}

std::string MessageOf(const api::admissionregistration_v1::Validation& rule, const Outcome* made) {
  std::string message = MadeMessage(made);
  if (message.empty()) message = TrimSpace(rule.message);
  if (message.empty()) message = fmt::format("failed expression: {}", TrimSpace(rule.expression));
  return message;
}

PolicyResult Failed(const CompiledPolicy& policy, std::string message, int64_t cost) {
  PolicyResult result{.cost = cost};
  auto& failures = policy.ignores_failures() ? result.ignored : result.denials;
  failures.push_back({.reason = StatusReason::kInvalid, .message = std::move(message)});
  return result;
}

void Annotate(const CompiledPolicy& policy,
              std::span<const Outcome> outcomes,
              PolicyResult& result) {
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const auto& annotation = policy.policy.spec.audit_annotations[i];
    if (!outcomes[i].value.has_value()) {
      if (!policy.ignores_failures()) result.annotation_errors.push_back(outcomes[i].error);
      continue;
    }
    const Value& value = *outcomes[i].value;
    if (value.is(cel::ValueKind::kNull)) continue;
    if (!value.is(cel::ValueKind::kString)) {
      result.annotation_errors.push_back(
          fmt::format("valueExpression '{}' resulted in unsupported return type: {}. Return type "
                      "must be either string or null.",
                      annotation.value_expression,
                      TypeName(value)));
      continue;
    }
    const std::string_view text = TrimSpace(value.text());
    if (!text.empty()) {
      result.annotations.push_back({.key = annotation.key, .value = std::string(text)});
    }
  }
}

// Upstream gives messages and annotations no authoriser, though annotations declare one, and so
// does what both name.
Variables WithoutAuthorizer(Variables values, Arena& arena) {
  values.authorizer = cel::MakeError(arena, "no such attribute(s): authorizer");
  values.request_resource =
      cel::MakeError(arena, "no such attribute(s): authorizer.requestResource");
  return values;
}

}  // namespace

std::expected<bool, std::string> ConditionsHold(const Conditions& conditions,
                                                Variables values,
                                                Arena& arena,
                                                int64_t& cost) {
  if (conditions.expressions.empty()) return true;
  values.namespace_object = Value();  // as upstream, which gives conditions none
  Round round(conditions.variables, values, arena, kConditionsBudgetMax);
  const auto outcomes = round.Run(conditions.expressions);
  cost += kConditionsBudgetMax - round.left();
  if (!outcomes.has_value()) {
    if (conditions.ignores_failures) return false;
    return std::unexpected(outcomes.error());
  }
  std::vector<std::string> errors;
  for (const Outcome& outcome : *outcomes) {
    if (outcome.value.has_value() && outcome.value->is_false()) return false;
    const bool is_new = std::ranges::find(errors, outcome.error) == errors.end();
    if (!outcome.error.empty() && is_new) errors.push_back(outcome.error);
  }
  if (errors.empty()) return true;
  if (conditions.ignores_failures) return false;
  if (errors.size() == 1) return std::unexpected(std::move(errors.front()));
  return std::unexpected(fmt::format("[{}]", fmt::join(errors, ", ")));
}

std::expected<Value, std::string> EvaluateMutation(const CompiledMutation& mutation,
                                                   std::span<const CompiledVariable> variables,
                                                   const Variables& values,
                                                   Arena& arena) {
  const CompiledExpression& expression = mutation.expression;
  if (!expression.program.has_value()) return std::unexpected(expression.program.error().message);
  // The result may refer to the variables, which are computed when they are asked for.
  const auto& round = *arena.Keep(std::make_unique<Round>(variables, values, arena, kBudgetMax));
  auto outcomes = round->Run({&expression, 1});
  if (!outcomes.has_value()) return std::unexpected(std::move(outcomes).error());
  Outcome& outcome = outcomes->front();
  if (!outcome.value.has_value()) return std::unexpected(std::move(outcome.error));
  return *outcome.value;
}

PolicyResult Evaluate(const CompiledPolicy& policy,
                      const Variables& values,
                      Arena& arena,
                      const Clock* clock) {
  int64_t cost = 0;
  const auto matches = ConditionsHold({.expressions = policy.match_conditions,
                                       .variables = policy.variables,
                                       .ignores_failures = policy.ignores_failures()},
                                      values,
                                      arena,
                                      cost);
  if (!matches.has_value()) return Failed(policy, matches.error(), cost);
  if (!*matches) return {.cost = cost};
  Round rules(policy.variables, values, arena, kBudgetMax, clock);
  const auto decided = rules.Run(policy.validations);
  if (!decided.has_value()) return Failed(policy, decided.error(), cost + kBudgetMax);
  const Variables unasked = WithoutAuthorizer(values, arena);
  Round of_messages(policy.variables, unasked, arena, rules.left());
  const auto messages = of_messages.Run(policy.messages);
  PolicyResult result{.cost = cost + kBudgetMax - of_messages.left()};
  for (size_t i = 0; i < decided->size(); ++i) {
    const auto& rule = policy.policy.spec.validations[i];
    const Outcome& outcome = (*decided)[i];
    if (!outcome.value.has_value() || !messages.has_value()) {
      auto& failures = policy.ignores_failures() ? result.ignored : result.denials;
      failures.push_back(
          {.rule = i,
           .reason = StatusReason::kInvalid,
           .message = outcome.value.has_value()
                          ? fmt::format("failed messageExpression: {}", messages.error())
                          : outcome.error,
           .seconds = outcome.seconds});
    } else if (!outcome.value->is_true()) {
      result.denials.push_back({.rule = i,
                                .reason = ReasonOf(rule.reason),
                                .message = MessageOf(rule, &(*messages)[i]),
                                .seconds = outcome.seconds});
    }
  }
  Round notes(policy.variables, unasked, arena, kBudgetMax);
  const auto noted = notes.Run(policy.audit_annotations);
  result.cost += kBudgetMax - notes.left();
  if (!noted.has_value()) return Failed(policy, noted.error(), result.cost);
  Annotate(policy, *noted, result);
  return result;
}

}  // namespace dray::server::policies
