// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/validate.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "cel/syntax/utf8.h"
#include "custom/schema/correlation.h"
#include "custom/schema/number_rules.h"
#include "custom/schema/shown.h"

namespace dray::custom::schema {
namespace {

using api::Tree;
using api::validation::FieldErrors;
using api::validation::Path;
using formats::ValueFormat;

// Objects, or the defaults of definitions, for which upstream makes its validators another way.
enum class Subject : uint8_t { kObject, kDefault };

// What kube-openapi calls the type of a value, and the format that it takes it for.
struct KindNames {
  std::string_view type;
  std::string_view format;
};
KindNames NamesOf(const Tree& value) {
  switch (value.kind()) {
    case Tree::Kind::kNull: return {"null", ""};
    case Tree::Kind::kBool: return {"boolean", ""};
    case Tree::Kind::kInteger: return {"integer", "int64"};
    case Tree::Kind::kDouble: return {"number", "float64"};
    case Tree::Kind::kText: return {"string", ""};
    case Tree::Kind::kList: return {"array", ""};
    case Tree::Kind::kObject: return {"object", ""};
  }
  return {};
}

// The types that a schema allows.
struct AllowedTypes {
  ValueType one = ValueType::kAny;
  bool is_int_or_string = false;

  bool empty() const { return one == ValueType::kAny && !is_int_or_string; }
  bool Has(ValueType type) const {
    return is_int_or_string ? type == ValueType::kInteger || type == ValueType::kString
                            : one == type;
  }
  bool HasNamed(std::string_view name) const {
    return is_int_or_string ? name == "integer" || name == "string" : NameOf(one) == name;
  }
  std::string_view text() const { return is_int_or_string ? "integer,string" : NameOf(one); }
};

// A walk over a value. Checks inside logic may turn out not to count, so they are first made
// without writing errors down, then once more for the alternative whose errors are shown.
class Validator {
 public:
  Validator(Subject subject, uint64_t steps_max) : subject_(subject), steps_max_(steps_max) {}

  /// `old`: what the value was; null: nothing is forgiven.
  void Run(const Node& node, const Tree& value, const Tree* old) { Check(node, value, root_, old); }

  bool found_nothing() const { return found_ == 0 && !is_over_budget(); }

  /// `prefix`: the field that the value is; empty: an object of its own.
  std::vector<ErrorCause> Take(std::string_view prefix) && {
    if (is_over_budget()) {
      kept_.Invalid(
          root_,
          "\"\"",
          fmt::format("validation ended after {} steps: the alternatives of the schema are "
                      "too many for the object",
                      steps_max_));
    }
    kept_.ChangePaths([&](std::string_view path) { return FieldOf(path, prefix); });
    return WithoutRepetitions(std::move(kept_).Take());
  }

 private:
  struct Trial {
    size_t errors;
    size_t matches;
  };

  static std::string FieldOf(std::string_view path, std::string_view prefix) {
    if (path.starts_with('.')) path.remove_prefix(1);
    if (path.empty()) return std::string(prefix.empty() ? "<nil>" : prefix);
    return prefix.empty() ? std::string(path) : fmt::format("{}.{}", prefix, path);
  }

  static std::vector<ErrorCause> WithoutRepetitions(std::vector<ErrorCause> causes) {
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    std::erase_if(causes, [&](const ErrorCause& cause) {
      return !seen.emplace(cause.reason, cause.field, cause.message).second;
    });
    return causes;
  }

  bool is_over_budget() const { return steps_ > steps_max_; }

  // Counts an error and, unless this is a trial, lets `say` write it down. What ends early has
  // found nothing that counts.
  template <class F>
  void Found(F say) {
    if (is_over_budget()) return;
    ++found_;
    if (!is_trial_) say(kept_);
  }

  void Invalid(const Path& path, std::string_view shown, std::string_view should) {
    Found([&](FieldErrors& errors) {
      errors.Invalid(path, shown, fmt::format("{} in body {}", path.ToString(), should));
    });
  }

  // An error that names no field.
  void Unplaced(const Path& path, std::string_view text) {
    Found([&](FieldErrors& errors) {
      errors.Invalid(root_, "\"\"", fmt::format("{} {}", api::GoQuote(path.ToString()), text));
    });
  }

  void WrongType(const Path& path, std::string_view wanted, std::string_view found) {
    Found([&](FieldErrors& errors) {
      errors.TypeInvalid(path,
                         api::validation::Shown(found),
                         fmt::format("{} in body must be of type {}: {}",
                                     path.ToString(),
                                     wanted,
                                     api::validation::Shown(found)));
    });
  }

  // Nothing more will be kept, or may be looked for.
  bool is_done() const { return is_over_budget() || (!is_trial_ && kept_.is_full()); }

  // Returns how many of the checks matched, by which kube-openapi chooses the alternative that it
  // shows the errors of.
  size_t Check(const Node& node, const Tree& value, const Path& path, const Tree* old) {
    ++steps_;
    if (is_done()) return 0;
    if (old != nullptr && correlation_.IsUnchanged(node, value, *old)) return 0;
    size_t matches = CheckType(node, value, path);
    if (value.is_null()) {
      CheckEnumeration(node, value, path);
      return matches;
    }
    matches += CheckLogic(node, value, path) + 1;
    if (value.is_text()) matches += CheckText(node, value, path);
    if (value.is_number()) matches += CheckNumbers(node, value, path);
    if (value.is_list()) matches += CheckList(node, value, path, old);
    CheckEnumeration(node, value, path);
    if (value.is_object()) matches += CheckObject(node, value, path, old);
    return matches + 2;
  }

  // --- types and formats

  AllowedTypes TypesOf(const Node& node) const {
    return {.one = node.type,
            .is_int_or_string = node.is_int_or_string && subject_ == Subject::kObject};
  }

  std::string_view FormatNameOf(const Node& node) const {
    if (node.rules == nullptr) return {};
    const bool counts =
        subject_ == Subject::kDefault || node.rules->checked_format != ValueFormat::kNone;
    return counts ? std::string_view(node.rules->format) : std::string_view();
  }

  ValueFormat TextFormatOf(const Node& node) const {
    return FormatNameOf(node).empty() ? ValueFormat::kNone : node.rules->text_format;
  }

  size_t CheckType(const Node& node, const Tree& value, const Path& path) {
    const AllowedTypes types = TypesOf(node);
    if (value.is_null()) {
      if (types.empty() || node.is_nullable) return 1;
      WrongType(path, types.text(), "null");
      return 0;
    }
    const std::string_view format = FormatNameOf(node);
    if (types.empty() && format.empty()) return 0;
    const auto [type, value_format] = NamesOf(value);
    const bool is_whole =
        value.is_double() && types.Has(ValueType::kInteger) && IsNearlyWhole(value.number());
    const bool fits =
        types.HasNamed(type) || is_whole || (value.is_integer() && types.Has(ValueType::kNumber));
    const bool has_format_of_text = !format.empty() && (value.is_text() || value.is_list());
    if (!format.empty() && !has_format_of_text && !fits && format != value_format) {
      WrongType(path, format, value_format);
      return 1;
    }
    const bool is_number = types.Has(ValueType::kNumber) || types.Has(ValueType::kInteger);
    if (fits || (has_format_of_text && !is_number)) return 2;
    WrongType(path, types.text(), type);
    return 1;
  }

  void CheckEnumeration(const Node& node, const Tree& value, const Path& path) {
    if (node.rules == nullptr || node.rules->enumeration.empty()) return;
    const Enumeration& values = node.rules->enumeration;
    if (values.Allows(value)) return;
    Found([&](FieldErrors& errors) {
      errors.Report(
          "FieldValueNotSupported",
          path,
          fmt::format(
              "Unsupported value: {}: supported values: {}", ShownTree(value), values.shown()));
    });
  }

  // --- scalars

  size_t CheckText(const Node& node, const Tree& value, const Path& path) {
    if (node.rules == nullptr) return 1;
    const std::string_view text = value.text();
    if (!CheckLength(node.rules->length, text, path)) CheckPattern(*node.rules, text, path);
    const ValueFormat format = TextFormatOf(node);
    if (format == ValueFormat::kNone) return 1;
    if (!formats::HasFormat(text, format)) WrongType(path, node.rules->format, text);
    return 2;
  }

  // Whether something is wrong: then the pattern is not asked.
  bool CheckLength(const SizeRange& range, std::string_view text, const Path& path) {
    if (!range.min && !range.max) return false;
    const auto length = static_cast<int64_t>(cel::syntax::CountCodePoints(text));
    if (range.max && length > *range.max) {
      Found([&](FieldErrors& errors) {
        errors.Report("FieldValueTooLong", path, TooLong(*range.max));
      });
      return true;
    }
    if (!range.min || length >= *range.min) return false;
    Invalid(path,
            api::validation::Shown(text),
            fmt::format("should be at least {} chars long", *range.min));
    return true;
  }

  static std::string TooLong(int64_t max) {
    if (max < 0) return "Too long: value is too long";
    return fmt::format("Too long: may not be more than {} {}", max, max == 1 ? "byte" : "bytes");
  }

  void CheckPattern(const ValueRules& rules, std::string_view text, const Path& path) {
    if (rules.pattern == nullptr) return;
    constexpr uint64_t kWorkPerStep = 64;
    steps_ += rules.pattern->WorkOf(text) / kWorkPerStep;
    if (is_over_budget()) return;
    const Result<bool> matched = rules.pattern->Matches(text);
    if (matched && *matched) return;
    std::string shown = rules.pattern->text();
    if (!matched) shown += fmt::format(", but pattern is invalid: {}", matched.error().message);
    Invalid(path, api::validation::Shown(text), fmt::format("should match '{}'", shown));
  }

  size_t CheckNumbers(const Node& node, const Tree& value, const Path& path) {
    static const NumberRange kAll;
    const AllowedTypes types = TypesOf(node);
    const bool has_one = !types.is_int_or_string &&
                         (types.one == ValueType::kInteger || types.one == ValueType::kNumber);
    const ValueType type = has_one ? types.one : ValueType::kAny;
    const NumberRules rules = {.type = type,
                               .format = has_one && node.rules != nullptr
                                             ? node.rules->checked_format
                                             : ValueFormat::kNone,
                               .format_name = FormatNameOf(node),
                               .range = node.rules == nullptr ? kAll : node.rules->numbers};
    std::vector<NumberProblem> problems;
    const size_t found = CheckNumber(value, rules, path, is_trial_ ? nullptr : &problems);
    if (is_trial_) found_ += found;
    for (const NumberProblem& problem : problems) {
      Found([&](FieldErrors& errors) {
        errors.Invalid(problem.is_of_value ? path : root_, problem.shown, problem.detail);
      });
    }
    return 2;
  }

  // --- lists and objects

  size_t CheckList(const Node& node, const Tree& value, const Path& path, const Tree* old) {
    size_t matches = 2;
    if (node.items != nullptr) {
      for (size_t i = 0; i < value.size() && !is_done(); ++i) {
        const Tree* const element =
            old == nullptr ? nullptr : correlation_.OldElement(node, value, *old, i);
        matches += Check(*node.items, value.elements()[i], path.Index(i), element);
      }
    }
    if (node.rules != nullptr) CheckSize(node.rules->items, value.size(), "items", path);
    return matches;
  }

  void CheckSize(const SizeRange& range, size_t size, std::string_view what, const Path& path) {
    const auto count = static_cast<int64_t>(size);
    if (range.min && count < *range.min) {
      Invalid(path,
              fmt::format("{}", count),
              fmt::format("should have at least {} {}", *range.min, what));
    }
    if (!range.max || count <= *range.max) return;
    Found([&](FieldErrors& errors) {
      if (*range.max < 0) {
        errors.Report(
            "FieldValueTooMany", path, fmt::format("Too many: {}: has too many items", count));
      } else {
        errors.TooMany(path, size, static_cast<size_t>(*range.max));
      }
    });
  }

  size_t CheckObject(const Node& node, const Tree& value, const Path& path, const Tree* old) {
    size_t matches = 1;
    if (node.rules != nullptr) CheckSize(node.rules->members, value.size(), "properties", path);
    for (const Tree::Member& member : value.members()) {
      if (is_done()) break;
      matches += CheckMember(node, member, path, old);
    }
    if (node.rules == nullptr) return matches;
    for (const std::string& name : node.rules->required) {
      if (is_done()) break;
      if (value.Find(name) != nullptr) continue;
      Found([&](FieldErrors& errors) { errors.Required(path.Child(name)); });
    }
    return matches;
  }

  size_t CheckMember(const Node& node,
                     const Tree::Member& member,
                     const Path& path,
                     const Tree* old) {
    const std::string_view name = member.name();
    // What the server may not show unchanged to its client is not forgiven.
    const bool is_type_name = &path == &root_ && (name == "kind" || name == "apiVersion");
    const Tree* const before =
        old == nullptr || is_type_name ? nullptr : Correlation::OldMember(node, name, *old);
    if (const Node* const property = node.FindProperty(name); property != nullptr) {
      return Check(*property, member.value, path.Child(name), before);
    }
    if (subject_ == Subject::kDefault && logic_depth_ > 0) return 0;
    if (node.other_members == OtherMembers::kForbidden) {
      Found([&](FieldErrors& errors) {
        errors.Invalid(path,
                       api::validation::Shown(name),
                       fmt::format("{}.{} in body is a forbidden property", path.ToString(), name));
      });
    }
    if (node.others == nullptr) return 0;
    if (&path != &root_) return Check(*node.others, member.value, path.Child(name), before);
    // Such a member of the whole value has a name that begins with a dot.
    const std::string dotted = fmt::format(".{}", name);
    return Check(*node.others, member.value, Path(dotted), before);
  }

  // --- logic

  size_t CheckLogic(const Node& node, const Tree& value, const Path& path) {
    if (node.rules == nullptr) return 1;
    const ValueRules& rules = *node.rules;
    ++logic_depth_;
    const size_t matches = CheckAnyOf(rules.any_of, value, path) +
                           CheckOneOf(rules.one_of, value, path) +
                           CheckAllOf(rules.all_of, value, path);
    if (rules.negated != nullptr && Try(*rules.negated, value, path).errors == 0) {
      Unplaced(path, "must not validate the schema (not)");
    }
    --logic_depth_;
    return matches + 1;
  }

  Trial Try(const Node& node, const Tree& value, const Path& path) {
    const bool was_trial = std::exchange(is_trial_, true);
    const size_t before = std::exchange(found_, 0);
    const size_t matches = Check(node, value, path, nullptr);
    is_trial_ = was_trial;
    return {.errors = std::exchange(found_, before), .matches = matches};
  }

  // Adds the errors of an alternative that was tried.
  void Repeat(const Node& node, const Tree& value, const Path& path, const Trial& trial) {
    if (is_trial_) {
      found_ += trial.errors;
    } else {
      Check(node, value, path, nullptr);
    }
  }

  // The alternative with the most matches, the first of several; none without alternatives.
  struct Best {
    const Node* node = nullptr;
    Trial trial = {};

    void Consider(const Node* candidate, const Trial& tried) {
      if (node == nullptr || tried.matches > trial.matches)
        *this = {.node = candidate, .trial = tried};
    }
  };

  size_t CheckAnyOf(std::span<const Node* const> alternatives,
                    const Tree& value,
                    const Path& path) {
    if (alternatives.empty()) return 0;
    Best best;
    for (const Node* const alternative : alternatives) {
      const Trial trial = Try(*alternative, value, path);
      if (trial.errors == 0) return trial.matches;
      best.Consider(alternative, trial);
    }
    Unplaced(path, "must validate at least one schema (anyOf)");
    Repeat(*best.node, value, path, best.trial);
    return best.trial.matches;
  }

  size_t CheckOneOf(std::span<const Node* const> alternatives,
                    const Tree& value,
                    const Path& path) {
    if (alternatives.empty()) return 0;
    Best best;
    size_t valid = 0;
    size_t matches = 0;  // of the first that is valid
    for (const Node* const alternative : alternatives) {
      const Trial trial = Try(*alternative, value, path);
      if (trial.errors > 0) {
        best.Consider(alternative, trial);
      } else if (valid++ == 0) {
        matches = trial.matches;
      }
    }
    if (valid == 1) return matches;
    if (valid > 1) {
      Unplaced(
          path,
          fmt::format("must validate one and only one schema (oneOf). Found {} valid alternatives",
                      valid));
      return 0;
    }
    Unplaced(path, "must validate one and only one schema (oneOf). Found none valid");
    Repeat(*best.node, value, path, best.trial);
    return best.trial.matches;
  }

  size_t CheckAllOf(std::span<const Node* const> schemas, const Tree& value, const Path& path) {
    size_t valid = 0;
    size_t matches = 0;
    for (const Node* const schema : schemas) {
      const size_t before = found_;
      matches += Check(*schema, value, path, nullptr);
      if (found_ == before) ++valid;
    }
    if (valid < schemas.size()) {
      Unplaced(path,
               fmt::format("must validate all the schemas (allOf){}",
                           valid == 0 ? ". None validated" : ""));
    }
    return matches;
  }

  const Path root_{""};
  Subject subject_;
  uint64_t steps_max_;
  FieldErrors kept_;
  size_t found_ = 0;
  bool is_trial_ = false;
  size_t logic_depth_ = 0;
  uint64_t steps_ = 0;
  Correlation correlation_;
};

std::vector<ErrorCause> ValidatePart(const Tree& value,
                                     const Tree* old,
                                     const Node& node,
                                     std::string_view prefix,
                                     uint64_t steps_max) {
  Validator validator(Subject::kObject, steps_max);
  validator.Run(node, value, nullptr);
  if (validator.found_nothing()) return {};
  if (old == nullptr) return std::move(validator).Take(prefix);
  // Most updates break nothing, so what is unchanged is only looked for now.
  Validator forgiving(Subject::kObject, steps_max);
  forgiving.Run(node, value, old);
  return std::move(forgiving).Take(prefix);
}

}  // namespace

std::vector<ErrorCause> Validate(const Tree& object,
                                 const Tree* old,
                                 const Schema& schema,
                                 uint64_t steps_max) {
  return ValidatePart(object, old, schema.root(), {}, steps_max);
}

std::vector<ErrorCause> ValidateStatus(const Tree& object, const Tree* old, const Schema& schema) {
  constexpr std::string_view kStatus = "status";
  const Node* const node = schema.root().FindProperty(kStatus);
  const Tree* const status = object.Find(kStatus);
  if (node == nullptr || status == nullptr) return {};
  const Tree* const before = old == nullptr ? nullptr : old->Find(kStatus);
  return ValidatePart(*status, before, *node, kStatus, kValidationStepsMax);
}

std::vector<ErrorCause> ValidateDefault(const Node& node, std::string_view path) {
  Validator validator(Subject::kDefault, kValidationStepsMax);
  validator.Run(node, node.default_value, nullptr);
  return std::move(validator).Take(path);
}

}  // namespace dray::custom::schema
