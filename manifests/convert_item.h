// SPDX-License-Identifier: Apache-2.0
// One object on its way to another version: what it becomes, and what is to be said about it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"
#include "base/result.h"
#include "manifests/convert_classic.h"

namespace dray::manifests {

/// Something about a field of an object, or about all of it when `path` is empty.
struct Remark {
  std::string path;
  std::string text;
};

struct ConvertedItem {
  enum class Outcome : uint8_t { kUnchanged, kConverted, kOmitted };

  Outcome outcome = Outcome::kUnchanged;
  std::string object = {};                 // JSON, when converted
  std::string name = {};                   // v1beta1 ResourceClaim default/gpu
  std::vector<Remark> losses = {};         // what is lost, unless that is refused
  std::vector<Remark> refusals = {};       // why it cannot be converted at all
  std::vector<Remark> notes = {};          // why it stays as it is
  std::vector<std::string> comments = {};  // on a proposal
};

class ItemConverter {
 public:
  static constexpr std::string_view kGroup = "resource.k8s.io";

  /// `version` is one of the group's: v1beta1.
  ItemConverter(std::string version, api::Release release)
      : version_(std::move(version)), release_(release) {}

  /// Looks at an object before any is converted: others may refer to it.
  void Learn(const api::TypeMeta& meta, std::string_view json);

  /// Errors: kBadRequest  a value of the wrong type, with its path.
  Result<ConvertedItem> Convert(const api::TypeMeta& meta, std::string_view json) const;

 private:
  void ConvertTo(const api::KindInfo& target, const api::Object& object, ConvertedItem& item) const;
  void ProposeFor(const api::Object& object, ConvertedItem& item) const;
  /// The kind of the version asked for that shows the same objects; null without one.
  const api::KindInfo* TargetOf(const api::KindInfo& hub) const;
  ConvertedItem ConvertOther(const api::TypeMeta& meta, std::string_view json) const;
  std::string TargetName() const;

  std::string version_;
  api::Release release_;
  ClassicParameters parameters_;
};

}  // namespace dray::manifests
