// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/conditions.h"

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/resource_v1/device_class.h"
#include "cel/eval/program.h"
#include "cel/language/environment.h"
#include "cel/syntax/conjuncts.h"

namespace dray::planning::inline explain {
namespace {

namespace v1 = api::resource_v1;

/// The conjuncts of `expression` that compile alone; the whole expression if one of them does not.
std::vector<std::pair<std::string_view, cel::Selector>> PartsOf(
    std::string_view expression, const cel::Selector& whole, const cel::Environment& environment) {
  cel::Environment free = environment;
  free.purpose = cel::Purpose::kFree;  // operands of && need not be selectors
  std::vector<std::pair<std::string_view, cel::Selector>> parts;
  for (const std::string_view conjunct : cel::syntax::Conjuncts(expression)) {
    Result<cel::Selector> part = cel::Selector::Compile(conjunct, free);
    if (!part) return {{expression, whole}};
    parts.emplace_back(conjunct, *std::move(part));
  }
  return parts;
}

template <class Texts>
std::string QuotedList(const Texts& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(fmt::format("{:?}", text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

struct AttributeText {
  std::string operator()(std::monostate) const { return "a value of no known type"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(std::string_view value) const { return fmt::format("{:?}", value); }
  std::string operator()(cel::VersionText value) const { return std::string(value.text); }
  std::string operator()(const std::vector<bool>& values) const {
    return fmt::format("[{}]", fmt::join(values, ", "));
  }
  std::string operator()(std::span<const int64_t> values) const {
    return fmt::format("[{}]", fmt::join(values, ", "));
  }
  std::string operator()(std::span<const std::string> values) const { return QuotedList(values); }
  std::string operator()(cel::VersionTexts values) const {
    return fmt::format("[{}]", fmt::join(values.texts, ", "));
  }
};

/// Whether `published` is `name` on the device: with its domain, or without if that is the
/// driver's.
bool IsNamed(std::string_view published, std::string_view driver, const cel::DeviceName& name) {
  const size_t slash = published.find('/');
  if (slash == std::string_view::npos) return name.domain == driver && name.id == published;
  return name.domain == published.substr(0, slash) && name.id == published.substr(slash + 1);
}

}  // namespace

void Conditions::Add(const v1::DeviceSelector& selector,
                     bool of_class,
                     size_t place,
                     cel::SelectorCache& selectors) {
  const std::string expression = selector.cel.has_value() ? selector.cel->expression : "";
  Whole added{.first = all_.size(), .last = all_.size() + 1};
  const Result<cel::Selector> whole = selectors.Compile(expression);
  if (!whole) {
    added.error = whole.error().message;
    all_.push_back(
        {.of_class = of_class, .selector = place, .text = cel::syntax::OneLine(expression)});
    wholes_.push_back(std::move(added));
    return;
  }
  added.selector = *whole;
  for (auto& [text, part] : PartsOf(expression, *whole, selectors.environment())) {
    Condition condition{
        .of_class = of_class, .selector = place, .text = cel::syntax::OneLine(text)};
    condition.names = cel::NamesIn(part.program().checked());
    condition.part = std::move(part);
    all_.push_back(std::move(condition));
  }
  added.last = all_.size();
  wholes_.push_back(std::move(added));
}

Conditions Conditions::Of(const allocator::rules::Criteria& criteria,
                          cel::SelectorCache& selectors) {
  Conditions conditions;
  if (criteria.device_class != nullptr) {
    const std::vector<v1::DeviceSelector>& of_class = criteria.device_class->spec.selectors;
    for (size_t i = 0; i < of_class.size(); ++i) conditions.Add(of_class[i], true, i, selectors);
  }
  for (size_t i = 0; i < criteria.selectors.size(); ++i)
    conditions.Add(criteria.selectors[i], false, i, selectors);
  return conditions;
}

std::optional<Conditions::Unmet> Conditions::FirstUnmet(const cel::DeviceActivation& device) const {
  for (const Whole& whole : wholes_) {
    if (!whole.selector.has_value()) return Unmet{.condition = whole.first, .error = whole.error};
    const cel::Evaluation evaluation = whole.selector->Evaluate(device);
    if (evaluation.matches()) continue;
    const cel::EvaluationError* const error = evaluation.error();
    Unmet unmet{.condition = whole.last - 1,
                .error = error == nullptr ? std::string() : error->message};
    for (size_t i = whole.first; i < whole.last; ++i) {
      const cel::Evaluation part = all_[i].part->Evaluate(device);
      if (part.matches() || (part.error() == nullptr) != (error == nullptr)) continue;
      unmet.condition = i;
      break;
    }
    return unmet;
  }
  return std::nullopt;
}

std::string ValueText(const cel::Device& device, const cel::DeviceName& name) {
  if (name.section == cel::DeviceSection::kCapacity) {
    for (const cel::Capacity& capacity : device.capacity) {
      if (IsNamed(capacity.name, device.driver, name)) return capacity.value->ToString();
    }
    return std::string(kNoValue);
  }
  for (const cel::Attribute& attribute : device.attributes) {
    if (IsNamed(attribute.name, device.driver, name))
      return std::visit(AttributeText(), attribute.value);
  }
  return std::string(kNoValue);
}

}  // namespace dray::planning::inline explain
