// SPDX-License-Identifier: Apache-2.0
// RunRules(): one walk over an object, from the root down, along the places that have rules.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "base/text/ascii.h"
#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"
#include "cel/library/go_numbers.h"
#include "cel/value/make.h"
#include "custom/rules/correlation.h"
#include "custom/rules/rules.h"
#include "custom/rules/tree_values.h"

namespace dray::custom::rules {

using api::Tree;
using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;
using cel::Arena;
using cel::Value;

namespace {

constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";
constexpr std::string_view kMessageOutOfBudget =
    "messageExpression evaluation failed due to running out of cost budget, no further validation "
    "rules will be run";
constexpr std::string_view kCancelled = "operation cancelled: ";
// What the rules of one place leave behind before their memory is given back.
constexpr size_t kArenaBytesKept = size_t{8} * 1024 * 1024;

// A value in the object.
struct Spot {
  const Tree& now;
  const Tree* before;  // null: there was none, or it is unknown which it was
  // Of ratcheting: the pair of this value, and that of the nearest value above it that has one.
  Pair pair, nearest;
  const Path& path;
  bool is_root = false;
};

// As errors show the value that a rule refuses; empty: they show none.
std::string ShownValue(const Tree& value, const Shape& shape) {
  if (shape.type == "object" || shape.type == "array") return "";
  switch (value.kind()) {
    case Tree::Kind::kText: return Shown(value.text());
    case Tree::Kind::kInteger: return fmt::format("{}", value.integer());
    case Tree::Kind::kDouble: return cel::library::ShortestText(value.number());
    case Tree::Kind::kBool: return value.boolean() ? "true" : "false";
    case Tree::Kind::kNull:
    case Tree::Kind::kList:
    case Tree::Kind::kObject: break;
  }
  return "null";
}

// As messages name a rule.
std::string_view NameOf(const ReadyRule& rule) {
  return rule.has_message ? rule.message : rule.text;
}

std::string MessageOf(const ReadyRule& rule) {
  return rule.has_message ? rule.message : fmt::format("failed rule: {}", rule.text);
}

void AddFailure(FieldErrors& errors,
                const Path& path,
                const ReadyRule& rule,
                std::string_view shown,
                std::string_view detail) {
  if (rule.reason == "FieldValueForbidden") return errors.Forbidden(path, detail);
  if (rule.reason == "FieldValueRequired") return errors.Required(path, detail);
  if (rule.reason == "FieldValueDuplicate") return errors.Duplicate(path, shown);
  if (shown.empty()) return errors.Invalid(path, detail, "");
  errors.Invalid(path, shown, detail);
}

// The values of the variables for the rules of one place.
class Variables {
 public:
  Variables(const RuleNode& node, const Spot& spot, Arena& arena)
      : self_(TreeValue(spot.now, *node.shape, arena)), declares_old_(node.mentions_old_self) {
    if (!declares_old_ || spot.before == nullptr) return;
    old_ = TreeValue(*spot.before, *node.shape, arena);
    some_old_ = cel::MakeSome(arena, *old_);
  }

  // In the order of the scope. An oldSelf that has no value is left out, so that its use fails.
  std::span<const Value> For(const ReadyRule& rule) {
    values_[kSelfVariable] = self_;
    if (!declares_old_ || (!rule.optional_old_self && !old_.has_value())) {
      return std::span(values_).first(1);
    }
    values_[kOldSelfVariable] = rule.optional_old_self ? some_old_ : *old_;
    return values_;
  }

 private:
  Value self_;
  bool declares_old_;
  std::optional<Value> old_;
  Value some_old_ = Value::None();
  std::array<Value, 2> values_;
};

class Runner {
 public:
  Runner(Budget& budget, const RunOptions& options)
      : budget_(budget), options_(options), correlation_(budget.work) {}

  void Visit(const RuleNode& node, const Spot& spot) {
    if (spot.now.is_null()) return;
    RunRulesOf(node, spot);
    if (is_over_) return;
    if (spot.now.is_list() && node.items != nullptr) return VisitElements(node, spot);
    if (spot.now.is_object()) VisitMembers(node, spot);
  }

  RuleOutcome Take() {
    RuleOutcome out{.causes = std::move(errors_).Take(), .warnings = {}};
    for (const ErrorCause& warning : std::move(warnings_).Take()) {
      out.warnings.push_back(fmt::format("{}: {}", warning.field, warning.message));
    }
    return out;
  }

 private:
  // The walk.

  void VisitMembers(const RuleNode& node, const Spot& spot) {
    if (node.values != nullptr) {
      for (const Tree::Member& member : spot.now.members()) {
        VisitMember(*node.values, spot, member.name(), member.value, spot.path.Key(member.name()));
        if (is_over_) return;
      }
    }
    for (const RuleNode::Property& property : node.properties) {
      const Tree* const member = spot.now.Find(property.name);
      if (member == nullptr) continue;
      VisitMember(*property.node, spot, property.name, *member, spot.path.Child(property.name));
      if (is_over_) return;
    }
  }

  void VisitMember(const RuleNode& node,
                   const Spot& object,
                   std::string_view name,
                   const Tree& member,
                   const Path& path) {
    Spot spot{.now = member,
              .before = object.before == nullptr ? nullptr : object.before->Find(name),
              .pair = object.pair,
              .nearest = object.nearest,
              .path = path};
    // Whatever the version was, both objects have that of the request.
    const bool is_kind = object.is_root && (name == "apiVersion" || name == "kind");
    if (!object.pair.is_none()) {
      spot.pair = is_kind ? Pair{} : Correlation::Member(object.pair, name);
      spot.nearest = is_kind ? Pair{} : object.pair;
    }
    Visit(node, spot);
  }

  void VisitElements(const RuleNode& node, const Spot& list) {
    for (size_t i = 0; i < list.now.size() && !is_over_; ++i) {
      const Tree& element = list.now.elements()[i];
      const Path path = list.path.Index(i);
      Spot spot{.now = element,
                .before = list.before == nullptr
                              ? nullptr
                              : correlation_.ElementBefore(*node.shape, *list.before, element),
                .pair = list.pair,
                .nearest = list.nearest,
                .path = path};
      if (!list.pair.is_none()) {
        spot.pair = correlation_.Element(list.pair, i);
        spot.nearest = list.pair;
      }
      Visit(*node.items, spot);
    }
  }

  // The rules of one place.

  void RunRulesOf(const RuleNode& node, const Spot& spot) {
    if (!node.problem.empty()) {
      Refuse(node, spot, fmt::format("rule compiler initialization error: {}", node.problem));
      return;
    }
    if (node.rules.empty()) return;
    if (budget_.cost <= 0) return Stop(node, spot, kOutOfBudget);
    std::optional<Arena> arena;
    std::optional<Variables> variables;
    for (const ReadyRule& rule : node.rules) {
      if (!arena.has_value() || arena->bytes() > kArenaBytesKept) {
        variables.reset();
        arena.reset();
        arena.emplace(budget_.work);
        variables.emplace(node, spot, *arena);
      }
      RunRule(node, spot, rule, *variables, *arena);
      if (is_over_) return;
    }
  }

  void RunRule(const RuleNode& node,
               const Spot& spot,
               const ReadyRule& rule,
               Variables& variables,
               Arena& arena) {
    if (!rule.compiled.problem.empty()) {
      return Refuse(node, spot, fmt::format("rule compile error: {}", rule.compiled.problem));
    }
    if (rule.compiled.program == nullptr) return;
    if (rule.compiled.uses_old_self && !HadValue(spot) && !rule.optional_old_self) return;
    cel::eval::Meter meter(kExpressionCostMax);
    const Value result =
        cel::eval::Evaluate(*rule.compiled.program, variables.For(rule), arena, meter);
    if (!Pay(meter)) return Stop(node, spot, kOutOfBudget);
    if (result.is_error()) return RefuseError(node, spot, rule, result.text());
    if (!result.is_true()) Fail(node, spot, rule, variables, arena);
  }

  static bool HadValue(const Spot& spot) {
    return spot.before != nullptr && !spot.before->is_null();
  }

  // Whether the budget had what was spent; then it is taken out.
  bool Pay(const cel::eval::Meter& meter) {
    const uint64_t left = budget_.cost < 0 ? 0 : static_cast<uint64_t>(budget_.cost);
    if (meter.spent() > left) return false;
    budget_.cost -= static_cast<int64_t>(meter.spent());
    return true;
  }

  void RefuseError(const RuleNode& node,
                   const Spot& spot,
                   const ReadyRule& rule,
                   std::string_view error) {
    if (error.starts_with("no such overload")) {
      Refuse(
          node,
          spot,
          fmt::format("'{}': call arguments did not match a supported operator, function or macro "
                      "signature for rule: {}",
                      error,
                      NameOf(rule)));
    } else if (error.starts_with(kCancelled)) {
      Stop(node,
           spot,
           fmt::format("'{}': no further validation rules will be run due to call cost exceeds "
                       "limit for rule: {}",
                       error,
                       NameOf(rule)));
    } else {
      Refuse(node, spot, fmt::format("{} evaluating rule: {}", error, NameOf(rule)));
    }
  }

  void Fail(const RuleNode& node,
            const Spot& spot,
            const ReadyRule& rule,
            Variables& variables,
            Arena& arena) {
    FieldErrors& errors = IsForgiven(rule, spot) ? warnings_ : errors_;
    const Path& own = rule.field_path.empty() ? PathOf(spot) : spot.path;
    const Path below = spot.path.Child(rule.field_path);
    const Path& path = rule.field_path.empty() ? own : below;
    std::string detail = MessageOf(rule);
    if (rule.compiled.message != nullptr) {
      const std::string problem = MakeMessage(rule, variables, arena, detail);
      if (!problem.empty()) {
        errors.Invalid(path, Shown(node.shape->type), problem);
        return Stop();
      }
    }
    AddFailure(errors, path, rule, ShownValue(spot.now, *node.shape), detail);
  }

  // Replaces `message` by what the rule's messageExpression makes, if that can be shown. Returns
  // why no more rules may run; empty: they may.
  std::string MakeMessage(const ReadyRule& rule,
                          Variables& variables,
                          Arena& arena,
                          std::string& message) {
    cel::eval::Meter meter(kExpressionCostMax);
    const Value made =
        cel::eval::Evaluate(*rule.compiled.message, variables.For(rule), arena, meter);
    if (!Pay(meter)) return std::string(kMessageOutOfBudget);
    if (made.is_error() && made.text().starts_with(kCancelled)) {
      return fmt::format(
          "no further validation rules will be run due to call cost exceeds limit for "
          "messageExpression: {}",
          api::GoQuote(rule.message_expression));
    }
    if (!made.is(cel::ValueKind::kString)) return "";
    const std::string_view text = TrimSpace(made.text());
    if (text.empty() || text.size() > kMessageBytesMax || text.contains('\n')) return "";
    message = text;
    return "";
  }

  // Errors.

  bool IsForgiven(const ReadyRule& rule, const Spot& spot) {
    if (rule.compiled.uses_old_self) return false;
    return correlation_.IsUnchanged(spot.pair.is_none() ? spot.nearest : spot.pair);
  }

  // Upstream has no path for the whole object.
  const Path& PathOf(const Spot& spot) const {
    return spot.is_root && options_.path.empty() ? no_path_ : spot.path;
  }

  void Refuse(const RuleNode& node, const Spot& spot, std::string_view detail) {
    errors_.Invalid(PathOf(spot), Shown(node.shape->type), detail);
  }

  void Stop(const RuleNode& node, const Spot& spot, std::string_view detail) {
    Refuse(node, spot, detail);
    Stop();
  }
  void Stop() {
    is_over_ = true;
    budget_.cost = -1;
  }

  Budget& budget_;
  const RunOptions& options_;
  Correlation correlation_;
  FieldErrors errors_;
  FieldErrors warnings_;
  const Path no_path_{"<nil>"};
  bool is_over_ = false;
};

bool IsBlocking(std::string_view reason) {
  constexpr std::array<std::string_view, 5> kBlocking = {"FieldValueNotSupported",
                                                         "FieldValueRequired",
                                                         "FieldValueTooLong",
                                                         "FieldValueTooMany",
                                                         "FieldValueTypeInvalid"};
  return std::ranges::find(kBlocking, reason) != kBlocking.end();
}

}  // namespace

RuleOutcome RunRules(const RuleSet& rules,
                     const Tree& object,
                     const Tree* old,
                     Budget& budget,
                     const RunOptions& options) {
  if (rules.root == nullptr) return {};
  Runner runner(budget, options);
  const Path path(options.path);
  const bool ratchets = old != nullptr && options.ratcheting == Ratcheting::kOn;
  const Pair pair =
      ratchets ? Pair{.now = &object, .before = old, .shape = rules.root->shape} : Pair{};
  runner.Visit(
      *rules.root,
      {.now = object, .before = old, .pair = pair, .nearest = {}, .path = path, .is_root = true});
  return runner.Take();
}

std::optional<ErrorCause> WhyRulesDoNotRun(std::span<const ErrorCause> causes) {
  const bool is_blocked =
      std::ranges::any_of(causes, [](const ErrorCause& cause) { return IsBlocking(cause.reason); });
  if (!is_blocked) return std::nullopt;
  return ErrorCause{.reason = "FieldValueInvalid",
                    .field = "<nil>",
                    .message =
                        "Invalid value: null: some validation rules were not checked because "
                        "the object was invalid; correct the existing errors to complete "
                        "validation"};
}

}  // namespace dray::custom::rules
