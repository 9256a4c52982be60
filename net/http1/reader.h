// SPDX-License-Identifier: Apache-2.0
// Reads HTTP/1.x messages (RFC 9112) from bytes that come in any portions, for both sides.
//
// Strict where leniency lets two parsers disagree about where a message ends (request smuggling):
// lines end in CRLF, Content-Length and Transfer-Encoding exclude each other, "chunked" is the only
// transfer coding, no folded fields, no space before a colon, no control characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/http.h"

namespace dray::net::http1 {

/// One chunk-size line with its extensions, which mean nothing to us.
inline constexpr size_t kChunkLineBytesMax = 4096;
/// All trailer fields of a chunked body; they are read and dropped.
inline constexpr size_t kTrailerBytesMax = size_t{16} << 10;
/// Empty lines before a request line (RFC 9112 2.2 wants one tolerated).
inline constexpr int kLeadingLinesMax = 4;

struct Head {
  std::string method, target;  // of requests; target in origin form, or "*"
  int status = 0;              // of responses
  int minor_version = 1;       // HTTP/1.0 or HTTP/1.1
  Headers headers;
  bool keep_alive = false;  // the sender accepts more messages after this one
};

enum class BodyFraming : uint8_t { kNone, kLength, kChunked, kUntilClose };

class Reader {
 public:
  enum class Role : uint8_t { kRequest, kResponse };
  enum class Phase : uint8_t {
    kStart,   // nothing of the message is here
    kHead,    // part of the head is
    kBody,    // the head is complete: head() may be read
    kDone,    // the message is complete
    kFailed,  // it can never be: failure_status(), failure()
  };

  explicit Reader(Role role) : role_(role) {}

  /// Takes a prefix of `bytes` and returns its size; appends body bytes to `body`. Returns early
  /// once when the head is complete and always at the end of the message, so that the caller can
  /// look at head() before the body and keep what belongs to the next message.
  size_t Feed(std::string_view bytes, std::string& body);
  /// The peer closed: completes a body that lasts until then, fails anything else unfinished.
  void EndOfInput();
  /// Ready for the next message.
  void Reset();
  /// The response under way answers a HEAD request: it has no body whatever its head says.
  void ExpectNoBody() { no_body_ = true; }

  Phase phase() const { return phase_; }
  Head& head() { return head_; }
  BodyFraming framing() const { return framing_; }
  /// The declared length when framing() is kLength.
  uint64_t content_length() const { return content_length_; }
  /// Bytes kept of a head or of a chunked body's line that is not complete.
  size_t held_bytes() const { return text_.capacity(); }
  /// The status a server answers with (400, 431, 501, 505), and why.
  int failure_status() const { return failure_status_; }
  std::string_view failure() const { return failure_; }

 private:
  enum class BodyStep : uint8_t { kData, kChunkSize, kChunkEnd, kTrailer };

  size_t TakeHead(std::string_view bytes);
  void ParseHead();
  bool ParseRequestLine(std::string_view line);
  bool ParseStatusLine(std::string_view line);
  bool ParseVersion(std::string_view text);
  bool ParseField(std::string_view line);
  bool CheckHost();
  bool ChooseFraming();
  bool ReadContentLength();
  size_t TakeBody(std::string_view bytes, std::string& body);
  size_t TakeData(std::string_view bytes, std::string& body);
  bool TakeLine(std::string_view& bytes, size_t size_max);
  void EndChunkLine();
  bool Refuse(int status, std::string_view why);

  const Role role_;
  Phase phase_ = Phase::kStart;
  bool no_body_ = false;
  int leading_lines_ = 0;
  std::string text_;  // the head so far, then the line so far of a chunked body
  size_t trailer_bytes_ = 0;
  Head head_;
  BodyFraming framing_ = BodyFraming::kNone;
  BodyStep step_ = BodyStep::kData;
  uint64_t content_length_ = 0;
  uint64_t remaining_ = 0;  // of the body, or of the chunk
  int failure_status_ = 0;
  std::string_view failure_;
};

}  // namespace dray::net::http1
