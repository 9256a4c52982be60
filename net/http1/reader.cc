// SPDX-License-Identifier: Apache-2.0
#include "net/http1/reader.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/ascii.h"
#include "net/head_rules.h"
#include "net/http.h"

namespace dray::net::http1 {
namespace {

// A first guess of a head's size: most fit, and a hostile one cannot make us reserve more.
constexpr size_t kUsualHeadBytes = 1024;

/// The origin form of "http://host/path?query" (RFC 9112 3.2.2); everything else as it is.
std::string_view OriginForm(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const size_t slash = target.find('/', scheme.size());
    return slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  return target;
}

std::string_view TrimBlanksAfter(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return TrimBlanksAfter(text);
}

/// Whole text as a number in `base`; no sign, no space. False on overflow.
bool ParseNumber(std::string_view text, int base, uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end && !text.empty() && number <= INT64_MAX;
}

}  // namespace

bool Reader::Refuse(int status, std::string_view why) {
  phase_ = Phase::kFailed;
  failure_status_ = status;
  failure_ = why;
  text_.clear();
  return false;
}

void Reader::Reset() {
  phase_ = Phase::kStart;
  no_body_ = false;
  leading_lines_ = 0;
  text_.clear();
  trailer_bytes_ = 0;
  head_ = {};
  framing_ = BodyFraming::kNone;
  step_ = BodyStep::kData;
  content_length_ = 0;
  remaining_ = 0;
}

size_t Reader::Feed(std::string_view bytes, std::string& body) {
  switch (phase_) {
    case Phase::kStart:
    case Phase::kHead: return TakeHead(bytes);
    case Phase::kBody: return TakeBody(bytes, body);
    case Phase::kDone: return 0;
    case Phase::kFailed: return bytes.size();
  }
  return bytes.size();
}

void Reader::EndOfInput() {
  if (phase_ == Phase::kBody && framing_ == BodyFraming::kUntilClose) {
    phase_ = Phase::kDone;
  } else if (phase_ != Phase::kDone && phase_ != Phase::kFailed) {
    Refuse(400, "the message is incomplete");
  }
}

size_t Reader::TakeHead(std::string_view bytes) {
  if (text_.empty()) text_.reserve(std::min(bytes.size(), kUsualHeadBytes));
  size_t taken = 0;
  while (taken < bytes.size()) {
    const size_t newline = bytes.find('\n', taken);
    const size_t end = newline == std::string_view::npos ? bytes.size() : newline + 1;
    if (text_.size() + (end - taken) > kHeadBytesMax) {
      Refuse(431, "the request head is too large");
      return bytes.size();
    }
    text_.append(bytes.substr(taken, end - taken));
    taken = end;
    phase_ = Phase::kHead;
    if (newline == std::string_view::npos) break;
    if (text_.size() < 2 || text_[text_.size() - 2] != '\r') {
      Refuse(400, "a line does not end in CR LF");
      return bytes.size();
    }
    if (text_.size() == 2) {
      text_.clear();
      phase_ = Phase::kStart;
      if (++leading_lines_ <= kLeadingLinesMax) continue;
      Refuse(400, "empty lines instead of a request");
      return bytes.size();
    }
    if (text_[text_.size() - 3] == '\n') {
      ParseHead();
      break;
    }
  }
  return taken;
}

void Reader::ParseHead() {
  head_.headers = Headers(std::exchange(text_, {}));
  std::string_view rest = head_.headers.block();
  rest.remove_suffix(2);  // the empty line
  const auto next_line = [&rest] {
    const size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    return line;
  };
  const std::string_view first = next_line();
  const bool ok = role_ == Role::kRequest ? ParseRequestLine(first) : ParseStatusLine(first);
  if (!ok) return;
  while (!rest.empty()) {
    if (!ParseField(next_line())) return;
  }
  if (role_ == Role::kRequest && !CheckHost()) return;
  if (!ChooseFraming()) return;
  head_.keep_alive = head_.minor_version == 1 ? !head_.headers.HasToken("Connection", "close")
                                              : head_.headers.HasToken("Connection", "keep-alive");
  const bool empty =
      framing_ == BodyFraming::kNone || (framing_ == BodyFraming::kLength && content_length_ == 0);
  phase_ = empty ? Phase::kDone : Phase::kBody;
}

bool Reader::ParseVersion(std::string_view text) {
  if (text == "HTTP/1.1" || text == "HTTP/1.0") {
    head_.minor_version = text.back() - '0';
    return true;
  }
  if (text.starts_with("HTTP/")) return Refuse(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
  return Refuse(400, "malformed request line");
}

bool Reader::ParseRequestLine(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return Refuse(400, "malformed request line");
  }
  if (!ParseVersion(line.substr(last + 1))) return false;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = OriginForm(line.substr(first + 1, last - first - 1));
  if (!IsToken(method)) return Refuse(400, "malformed method");
  if (!IsTarget(target)) return Refuse(400, "malformed request target");
  head_.method = method;
  head_.target = target;
  return true;
}

bool Reader::ParseStatusLine(std::string_view line) {
  if (!ParseVersion(line.substr(0, line.find(' ')))) return false;
  uint64_t status = 0;
  const bool ok = line.size() >= 12 && (line.size() == 12 || line[12] == ' ') &&
                  ParseNumber(line.substr(9, 3), 10, status) && status >= 100 && status <= 599;
  if (!ok) return Refuse(400, "malformed status line");
  head_.status = static_cast<int>(status);
  return true;
}

bool Reader::ParseField(std::string_view line) {
  const size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || !IsToken(name)) {
    return Refuse(400, "malformed header field");
  }
  const std::string_view value = TrimBlanks(line.substr(colon + 1));
  if (!IsFieldValue(value)) return Refuse(400, "control character in a header field");
  if (head_.headers.size() == kHeadFieldsMax) return Refuse(431, "too many header fields");
  head_.headers.AddRange(name, value);
  return true;
}

bool Reader::CheckHost() {
  size_t hosts = 0;
  for (size_t i = 0; i < head_.headers.size(); ++i) {
    if (EqualsIgnoringCase(head_.headers.at(i).first, "Host")) ++hosts;
  }
  if (hosts == 1 || (hosts == 0 && head_.minor_version == 0)) return true;
  return Refuse(400, hosts == 0 ? "missing Host header" : "more than one Host header");
}

bool Reader::ReadContentLength() {
  bool seen = false;
  for (size_t i = 0; i < head_.headers.size(); ++i) {
    const auto [name, value] = head_.headers.at(i);
    if (!EqualsIgnoringCase(name, "Content-Length")) continue;
    uint64_t length = 0;
    if (!ParseNumber(value, 10, length) || (seen && length != content_length_)) {
      return Refuse(400, "malformed Content-Length");
    }
    seen = true;
    content_length_ = length;
  }
  if (seen) framing_ = BodyFraming::kLength;
  return true;
}

bool Reader::ChooseFraming() {
  const Headers& headers = head_.headers;
  framing_ = role_ == Role::kRequest ? BodyFraming::kNone : BodyFraming::kUntilClose;
  if (headers.Has("Transfer-Encoding")) {
    if (headers.Has("Content-Length") || head_.minor_version == 0) {
      return Refuse(400, "Transfer-Encoding is not allowed here");
    }
    if (headers.All("Transfer-Encoding").size() != 1 ||
        !EqualsIgnoringCase(headers.Get("Transfer-Encoding"), "chunked")) {
      return Refuse(501, "unsupported transfer encoding");
    }
    framing_ = BodyFraming::kChunked;
    step_ = BodyStep::kChunkSize;
  } else if (!ReadContentLength()) {
    return false;
  }
  remaining_ = content_length_;
  const int status = head_.status;
  if (role_ == Role::kResponse && (no_body_ || status < 200 || status == 204 || status == 304)) {
    framing_ = BodyFraming::kNone;
  }
  return true;
}

size_t Reader::TakeData(std::string_view bytes, std::string& body) {
  if (framing_ == BodyFraming::kUntilClose) {
    body.append(bytes);
    return bytes.size();
  }
  const size_t size = static_cast<size_t>(std::min<uint64_t>(bytes.size(), remaining_));
  body.append(bytes.substr(0, size));
  remaining_ -= size;
  if (remaining_ == 0) {
    if (framing_ == BodyFraming::kLength) phase_ = Phase::kDone;
    step_ = BodyStep::kChunkEnd;
  }
  return size;
}

/// Moves bytes up to the next line end into text_. True when the line is complete: text_ holds it
/// without its CR LF.
bool Reader::TakeLine(std::string_view& bytes, size_t size_max) {
  const size_t newline = bytes.find('\n');
  const size_t end = newline == std::string_view::npos ? bytes.size() : newline + 1;
  if (text_.size() + end > size_max + 2) return Refuse(400, "a line of a chunked body is too long");
  text_.append(bytes.substr(0, end));
  bytes.remove_prefix(end);
  if (newline == std::string_view::npos) return false;
  if (text_.size() < 2 || text_.find('\r') != text_.size() - 2) {
    return Refuse(400, "a line of a chunked body does not end in CR LF");
  }
  text_.resize(text_.size() - 2);
  return true;
}

void Reader::EndChunkLine() {
  const std::string line = std::exchange(text_, {});
  switch (step_) {
    case BodyStep::kData: return;
    case BodyStep::kChunkEnd: step_ = BodyStep::kChunkSize; return;
    case BodyStep::kChunkSize: {
      // Blanks may stand behind it ("bad whitespace", RFC 9112 7.1.1); one before it is no part of
      // any grammar, and a proxy that accepts it would see another end of the message.
      const std::string_view size =
          TrimBlanksAfter(std::string_view(line).substr(0, line.find(';')));
      if (!ParseNumber(size, 16, remaining_)) {
        Refuse(400, "malformed chunk size");
        return;
      }
      step_ = remaining_ == 0 ? BodyStep::kTrailer : BodyStep::kData;
      return;
    }
    case BodyStep::kTrailer:
      trailer_bytes_ += line.size() + 2;
      if (line.empty()) {
        phase_ = Phase::kDone;
      } else if (trailer_bytes_ > kTrailerBytesMax) {
        Refuse(400, "the trailer is too large");
      }
      return;
  }
}

size_t Reader::TakeBody(std::string_view bytes, std::string& body) {
  std::string_view rest = bytes;
  while (!rest.empty() && phase_ == Phase::kBody) {
    if (step_ == BodyStep::kData) {
      rest.remove_prefix(TakeData(rest, body));
      continue;
    }
    const size_t line_max = step_ == BodyStep::kChunkEnd ? 0 : kChunkLineBytesMax;
    if (TakeLine(rest, line_max)) EndChunkLine();
  }
  return phase_ == Phase::kFailed ? bytes.size() : bytes.size() - rest.size();
}

}  // namespace dray::net::http1
