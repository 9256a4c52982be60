// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/defaults.h"

#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace dray::custom::schema {
namespace {

using api::Tree;

class Defaulter {
 public:
  bool ran_out() const { return ran_out_; }

  void Walk(Tree& value, const Node& node) {
    if (!node.has_defaults || ran_out_) return;
    if (value.is_object()) {
      AddMembers(value, node);
      for (size_t i = 0; i < value.size() && !ran_out_; ++i) {
        const Tree::Member& member = value.members()[i];
        const Node* const known = node.FindMember(member.name());
        if (known == nullptr) continue;
        if (IsReplaced(member.value, *known)) Fill(value.MutableValue(i), *known);
        WalkPart(
            value.members()[i].value, *known, [&]() -> Tree& { return value.MutableValue(i); });
      }
    } else if (value.is_list() && node.items != nullptr) {
      for (size_t i = 0; i < value.size() && !ran_out_; ++i) {
        if (IsReplaced(value.elements()[i], *node.items))
          Fill(value.MutableElement(i), *node.items);
        WalkPart(
            value.elements()[i], *node.items, [&]() -> Tree& { return value.MutableElement(i); });
      }
    }
  }

 private:
  // Scalars have nothing that could be filled in.
  template <class F>
  void WalkPart(const Tree& part, const Node& node, F changeable) {
    if (node.has_defaults && (part.is_object() || part.is_list())) Walk(changeable(), node);
  }

  static bool IsReplaced(const Tree& value, const Node& node) {
    return value.is_null() && !node.is_nullable && !node.default_value.is_null();
  }

  void Fill(Tree& value, const Node& node) {
    Spend(node.default_size);
    value = node.default_value;
  }

  void AddMembers(Tree& value, const Node& node) {
    std::vector<Tree::Member> added;
    for (const uint32_t place : node.defaulted) {
      const Property& property = node.properties[place];
      if (value.Find(property.name) != nullptr) continue;
      Spend(property.name.size() + property.node->default_size);
      if (ran_out_) return;
      added.emplace_back(property.name, property.node->default_value);
    }
    value.Insert(added);
  }

  void Spend(size_t bytes) {
    constexpr size_t kAround = 4;  // quotes, colon and comma
    ran_out_ = ran_out_ || bytes + kAround > left_;
    if (!ran_out_) left_ -= bytes + kAround;
  }

  size_t left_ = kDefaultedBytesMax;
  bool ran_out_ = false;
};

}  // namespace

Result<> ApplyDefaults(Tree& object, const Schema& schema) {
  Defaulter defaulter;
  defaulter.Walk(object, schema.root());
  if (!defaulter.ran_out()) return {};
  return Fail(StatusReason::kRequestEntityTooLarge,
              fmt::format("the defaults of the schema add more than {} bytes to the object",
                          kDefaultedBytesMax));
}

}  // namespace dray::custom::schema
