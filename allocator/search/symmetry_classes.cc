// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/symmetry_classes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace dray::allocator::search {
namespace {

class Classifier {
 public:
  explicit Classifier(const NodeProblem& problem)
      : problem_(problem), variants_(problem.prepared().variants()) {}

  SymmetryClasses Classify() && {
    Words any(problem_.words());
    for (size_t v = 0; v < variants_.size(); ++v) {
      for (size_t w = 0; w < any.size(); ++w) any[w] |= problem_.Usable(v)[w];
    }
    classes_.class_of.resize(problem_.words() * 64, SymmetryClasses::kNone);
    ForEachBit(any, [&](size_t bit) { Enter(bit); });
    return std::move(classes_);
  }

 private:
  /// All that a rule could see of the device.
  std::vector<uint64_t> KeyOf(size_t bit) const {
    std::vector<uint64_t> key;
    const snapshot::ShapeId shape = problem_.view().ShapeOf(bit);
    for (size_t v = 0; v < variants_.size(); ++v) {
      const bool usable = HasBit(problem_.Usable(v), bit);
      const bool listed = problem_.prepared().any_all() && HasBit(problem_.Listed(v), bit);
      key.push_back((usable ? 1U : 0U) | (listed ? 2U : 0U));
      if (!usable) continue;
      for (const PreparedVariant::Covering& covering : variants_[v].covering)
        key.push_back(covering.column->set_of[shape]);
    }
    if (problem_.Draws(bit)) {
      key.push_back(problem_.PoolOf(bit));
      key.push_back(shape);
    }
    if (problem_.IsShareable(bit)) key.push_back(bit);
    return key;
  }

  void Enter(size_t bit) {
    // The key is made, and compared with others in a tree.
    uint64_t length = 2;
    for (const PreparedVariant& variant : variants_) length += 1 + variant.covering.size();
    problem_.work().Charge(16 * length + 200);
    const auto [known, is_new] =
        numbers_.try_emplace(KeyOf(bit), static_cast<uint32_t>(classes_.size()));
    if (is_new) {
      classes_.members.emplace_back(problem_.words());
      classes_.example.push_back(bit);
      std::vector<bool>& used_by = classes_.used_by.emplace_back();
      for (size_t v = 0; v < variants_.size(); ++v)
        used_by.push_back(HasBit(problem_.Usable(v), bit));
    }
    classes_.class_of[bit] = known->second;
    AddBit(classes_.members[known->second], bit);
  }

  const NodeProblem& problem_;
  const std::vector<PreparedVariant>& variants_;
  SymmetryClasses classes_;
  std::map<std::vector<uint64_t>, uint32_t> numbers_;
};

}  // namespace

SymmetryClasses SymmetryClassesOf(const NodeProblem& problem) {
  return Classifier(problem).Classify();
}

}  // namespace dray::allocator::search
