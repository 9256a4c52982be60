// SPDX-License-Identifier: Apache-2.0
#include "net/http.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/ascii.h"

namespace dray::net {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool ListHas(std::string_view list, std::string_view token) {
  while (true) {
    const size_t comma = list.find(',');
    if (EqualsIgnoringCase(Trim(list.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

// Most heads need no more, and ask for memory once.
constexpr size_t kUsualFields = 8;
constexpr size_t kUsualBlockBytes = 240;

}  // namespace

std::string_view Headers::NameOf(const Field& field) const {
  return std::string_view(block_).substr(field.name_begin, field.name_size);
}

std::string_view Headers::ValueOf(const Field& field) const {
  return std::string_view(block_).substr(field.value_begin, field.value_size);
}

void Headers::Add(std::string_view name, std::string_view value) {
  const auto begin = static_cast<uint32_t>(block_.size());
  const auto name_size = static_cast<uint32_t>(name.size());
  if (block_.empty()) block_.reserve(kUsualBlockBytes);
  block_.append(name).append(value);
  if (fields_.empty()) fields_.reserve(kUsualFields);
  fields_.push_back({begin, name_size, begin + name_size, static_cast<uint32_t>(value.size())});
}

void Headers::AddRange(std::string_view name_in_block, std::string_view value_in_block) {
  const auto place = [this](std::string_view part) {
    return static_cast<uint32_t>(part.data() - block_.data());
  };
  if (fields_.empty()) fields_.reserve(kUsualFields);
  fields_.push_back({place(name_in_block),
                     static_cast<uint32_t>(name_in_block.size()),
                     value_in_block.empty() ? 0 : place(value_in_block),
                     static_cast<uint32_t>(value_in_block.size())});
}

void Headers::Set(std::string_view name, std::string_view value) {
  Remove(name);
  Add(name, value);
}

void Headers::Remove(std::string_view name) {
  std::erase_if(fields_,
                [&](const Field& field) { return EqualsIgnoringCase(NameOf(field), name); });
}

std::string_view Headers::Get(std::string_view name) const {
  for (const Field& field : fields_) {
    if (EqualsIgnoringCase(NameOf(field), name)) return ValueOf(field);
  }
  return {};
}

bool Headers::Has(std::string_view name) const {
  return std::ranges::any_of(
      fields_, [&](const Field& field) { return EqualsIgnoringCase(NameOf(field), name); });
}

std::vector<std::string_view> Headers::All(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Field& field : fields_) {
    if (EqualsIgnoringCase(NameOf(field), name)) values.push_back(ValueOf(field));
  }
  return values;
}

bool Headers::HasToken(std::string_view name, std::string_view token) const {
  return std::ranges::any_of(fields_, [&](const Field& field) {
    return EqualsIgnoringCase(NameOf(field), name) && ListHas(ValueOf(field), token);
  });
}

std::pair<std::string_view, std::string_view> Headers::at(size_t index) const {
  return {NameOf(fields_[index]), ValueOf(fields_[index])};
}

Bytes::Bytes(std::string text) {
  auto owned = std::make_shared<const std::string>(std::move(text));
  view_ = *owned;
  owner_ = std::move(owned);
}

void Body::Add(Bytes piece) {
  if (first_.empty()) {
    first_ = std::move(piece);
  } else {
    rest_.push_back(std::move(piece));
  }
}

size_t Body::size() const {
  size_t size = first_.size();
  for (const Bytes& piece : rest_) size += piece.size();
  return size;
}

std::string Body::Joined() const {
  std::string text;
  text.reserve(size());
  text += first_.view();
  for (const Bytes& piece : rest_) text += piece.view();
  return text;
}

std::string_view Request::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view Request::query() const {
  const size_t mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

std::string_view ReasonPhrase(int status) {
  struct Phrase {
    int status;
    std::string_view text;
  };
  static constexpr Phrase kPhrases[] = {
      {100, "Continue"},
      {101, "Switching Protocols"},
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {206, "Partial Content"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {412, "Precondition Failed"},
      {413, "Request Entity Too Large"},
      {415, "Unsupported Media Type"},
      {417, "Expectation Failed"},
      {422, "Unprocessable Entity"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {505, "HTTP Version Not Supported"},
  };
  for (const Phrase& phrase : kPhrases) {
    if (phrase.status == status) return phrase.text;
  }
  return {};
}

}  // namespace dray::net
