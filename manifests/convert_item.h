// SPDX-License-Identifier: Apache-2.0
// Converts one object to another version, with remarks.
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

/// A remark on a field of an object, or on the whole object if `path` is empty.
struct Remark {
  std::string path;
  std::string text;
};

struct ConvertedItem {
  enum class Outcome : uint8_t { kUnchanged, kConverted, kOmitted };

  Outcome outcome = Outcome::kUnchanged;
  std::string object = {};                 // JSON, if it was converted
  std::string name = {};                   // v1beta1 ResourceClaim default/gpu
  std::vector<Remark> losses = {};         // fields that are lost, unless that is refused
  std::vector<Remark> refusals = {};       // why it cannot be converted at all
  std::vector<Remark> notes = {};          // why it stays unchanged
  std::vector<std::string> comments = {};  // on a proposal
};

/// A remark on the field that an issue of the decoder names.
Remark RemarkOf(const std::string& issue);

class ItemConverter {
 public:
  static constexpr std::string_view kGroup = "resource.k8s.io";

  /// `version` is a version of the group: v1beta1.
  ItemConverter(std::string version, api::Release release)
      : version_(std::move(version)), release_(release) {}

  /// Call for every object before any is converted, because other objects may refer to it.
  void Learn(const api::TypeMeta& meta, std::string_view json);

  /// Errors: kBadRequest  a value of the wrong type, with its path.
  Result<ConvertedItem> Convert(const api::TypeMeta& meta, std::string_view json) const;

 private:
  void ConvertTo(const api::KindInfo& target, const api::Object& object, ConvertedItem& item) const;
  void ProposeFor(const api::Object& object, ConvertedItem& item) const;
  /// The kind of the target version with the same hub; null: there is none.
  const api::KindInfo* TargetOf(const api::KindInfo& hub) const;
  ConvertedItem ConvertOther(const api::TypeMeta& meta, std::string_view json) const;
  std::string TargetName() const;

  std::string version_;
  api::Release release_;
  ClassicParameters parameters_;
};

}  // namespace dray::manifests
