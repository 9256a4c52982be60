// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/explanation_memory.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "api/resource_v1/claim.h"

namespace dray::planning::inline explain {
namespace {

namespace v1 = api::resource_v1;

/// Whether the character can be part of "namespace/name", or of a path that ends with one.
bool IsOfKey(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '/' || c == '_';
}

/// Replaces the names of claims in an explanation by those of others at the same indexes.
class Renaming {
 public:
  Renaming(const WantedClaims& from, const WantedClaims& to) : to_(to) {
    for (const auto& claim : from) from_keys_.push_back(KeyOf(*claim));
    for (const auto& claim : to) to_keys_.push_back(KeyOf(*claim));
  }

  void Apply(Explanation& explanation) const {
    Rename(explanation.refusal);
    for (Funnel& funnel : explanation.funnels) Rename(funnel.claim);
    for (NodeGroup& group : explanation.groups) Rename(group.claim);
    if (explanation.conflict.has_value()) {
      for (ConflictPart& part : explanation.conflict->parts) Rename(part.claim);
    }
    for (Suggestion& suggestion : explanation.suggestions) {
      Rename(suggestion.text);
      Rename(suggestion.claims);
      Rename(suggestion.second_claims);
    }
  }

 private:
  /// The index of the key; the number of keys if it is not one of them.
  size_t PlaceOf(std::string_view key) const {
    return static_cast<size_t>(std::ranges::find(from_keys_, key) - from_keys_.begin());
  }

  /// Replaces words that are a key as a whole, with or without a full stop after it.
  void Rename(std::string& text) const {
    std::string renamed;
    for (size_t from = 0; from < text.size();) {
      size_t end = from;
      while (end < text.size() && IsOfKey(text[end])) ++end;
      if (end == from) {
        renamed += text[from++];
        continue;
      }
      size_t last = end;
      while (last > from && text[last - 1] == '.') --last;
      const std::string_view word = std::string_view(text).substr(from, last - from);
      const size_t place = PlaceOf(word);
      renamed += place < to_keys_.size() ? std::string_view(to_keys_[place]) : word;
      renamed.append(end - last, '.');
      from = end;
    }
    text = std::move(renamed);
  }

  void Rename(WantedClaims& claims) const {
    for (auto& claim : claims) {
      const size_t place = PlaceOf(KeyOf(*claim));
      if (place == to_.size()) continue;
      v1::ResourceClaim renamed = *claim;
      renamed.metadata = to_[place]->metadata;
      claim = std::make_shared<const v1::ResourceClaim>(std::move(renamed));
    }
  }

  const WantedClaims& to_;
  std::vector<std::string> from_keys_, to_keys_;
};

}  // namespace

ExplanationMemory::Known ExplanationMemory::Asked(const ExplanationQuestion& question) {
  Known asked{.claims = question.claims,
              .nodes = {},
              .objections = {},
              .own_claims = question.own_claims,
              .detail = question.detail,
              .explanation = {}};
  for (const auto& claim : question.claims) asked.own_claims.erase(claim->metadata.uid);
  asked.nodes.reserve(question.nodes.size());
  asked.objections.reserve(question.nodes.size());
  for (const CandidateNode& node : question.nodes) {
    asked.nodes.push_back(node.node);
    asked.objections.push_back(node.objection);
  }
  return asked;
}

bool ExplanationMemory::IsSame(const Known& known, const Known& asked) {
  return known.detail == asked.detail &&
         std::ranges::equal(known.claims,
                            asked.claims,
                            [](const auto& one, const auto& other) {
                              return one->metadata.namespace_ == other->metadata.namespace_ &&
                                     one->spec == other->spec;
                            }) &&
         known.own_claims == asked.own_claims && known.nodes == asked.nodes &&
         known.objections == asked.objections;
}

Explanation ExplanationMemory::Explain(const ExplanationQuestion& question) {
  Known asked = Asked(question);
  const auto known =
      std::ranges::find_if(known_, [&](const Known& one) { return IsSame(one, asked); });
  if (known != known_.end()) {
    Explanation explanation = known->explanation;
    Renaming(known->claims, question.claims).Apply(explanation);
    return explanation;
  }
  asked.explanation = planning::Explain(question);
  Explanation explanation = asked.explanation;
  if (question.budget.IsCancelled()) return explanation;
  if (known_.size() == kKnownMax) known_.pop_front();
  known_.push_back(std::move(asked));
  return explanation;
}

}  // namespace dray::planning::inline explain
