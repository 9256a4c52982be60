// SPDX-License-Identifier: Apache-2.0
#include "api/codec/json_writer.h"

#include <array>
#include <charconv>

#include "base/text/json_text.h"

namespace dray::api::inline codec {
namespace {

template <class T>
void AppendNumber(T number, std::string& out) {
  constexpr size_t kDigitsMax = 20;
  std::array<char, kDigitsMax> digits;  // NOLINT(cppcoreguidelines-pro-type-member-init): written
  out.append(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr);
}

}  // namespace

void JsonScalar::AppendTo(std::string& out) const {
  switch (kind_) {
    case Kind::kNull: out += "null"; return;
    case Kind::kFalse: out += "false"; return;
    case Kind::kTrue: out += "true"; return;
    case Kind::kSigned: AppendNumber(static_cast<int64_t>(number_), out); return;
    case Kind::kUnsigned: AppendNumber(number_, out); return;
    case Kind::kText: AppendJsonString(text_, JsonEscapes::kWeb, out); return;
  }
}

void JsonWriter::Object(std::initializer_list<JsonMember> members) {
  Object([&] {
    for (const JsonMember& member : members) Member(member.name, member.value);
  });
}

JsonWriter& JsonWriter::Member(std::string_view name) {
  DRAY_CHECK(place_ == Place::kFirstMember || place_ == Place::kMember);
  if (place_ == Place::kMember) out_ += ',';
  AppendJsonString(name, JsonEscapes::kWeb, out_);
  out_ += ':';
  place_ = Place::kMemberValue;
  return *this;
}

void JsonWriter::MembersOf(std::string_view object) {
  DRAY_CHECK(place_ == Place::kFirstMember || place_ == Place::kMember);
  DRAY_CHECK(object.starts_with('{') && object.ends_with('}'));
  const std::string_view members = object.substr(1, object.size() - 2);
  if (members.empty()) return;
  if (place_ == Place::kMember) out_ += ',';
  out_ += members;
  place_ = Place::kMember;
}

void JsonWriter::BeginValue() {
  switch (place_) {
    case Place::kDocument: place_ = Place::kEnd; return;
    case Place::kMemberValue: place_ = Place::kMember; return;
    case Place::kFirstElement: place_ = Place::kElement; return;
    case Place::kElement: out_ += ','; return;
    case Place::kFirstLine:
      place_ = Place::kLine;
      out_ += '\n';
      return;
    case Place::kLine: out_ += ",\n"; return;
    case Place::kEnd:
    case Place::kFirstMember:
    case Place::kMember: CheckFailed("a value may stand here", __FILE__, __LINE__);
  }
}

}  // namespace dray::api::inline codec
