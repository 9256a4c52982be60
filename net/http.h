// SPDX-License-Identifier: Apache-2.0
// HTTP without a protocol version: what a request is, and how it is answered. The engines
// (net/engine.h) fill these types in, the server layer works with them alone; neither sockets nor
// OpenSSL show through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/frozen.h"
#include "base/lazy.h"
#include "base/share_budget.h"
#include "base/world.h"

namespace dray::net {

class Reactor;  // net/reactor.h: only its address is handed around here

/// Queued bytes of one streamed answer the peer has not taken yet. One lagging watch may hold this
/// much memory; a producer that meets the bound waits for OnWritable, or gives the stream up.
inline constexpr size_t kStreamQueueBytesMax = size_t{1} << 20;

/// Header fields in the order they came; names compare without regard to case and may repeat.
/// One block of bytes and one vector: building and moving cost no allocation per field.
class Headers {
 public:
  Headers() = default;
  /// Adopts `block` (a received head); fields are added by AddRange.
  explicit Headers(std::string block) : block_(std::move(block)) {}

  void Add(std::string_view name, std::string_view value);
  /// Replaces every field of that name by one.
  void Set(std::string_view name, std::string_view value);
  void Remove(std::string_view name);
  /// Names a field by the place of its parts in the adopted block.
  void AddRange(std::string_view name_in_block, std::string_view value_in_block);

  /// The first value; empty when absent. Valid until the next change. Linear in the fields.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  /// Every value of that name, in order.
  std::vector<std::string_view> All(std::string_view name) const;
  /// True when the comma-separated lists of that name hold `token`, in any case.
  bool HasToken(std::string_view name, std::string_view token) const;

  /// The adopted block, for AddRange.
  std::string_view block() const { return block_; }
  size_t size() const { return fields_.size(); }
  /// Field `index` < size(): name and value as written.
  std::pair<std::string_view, std::string_view> at(size_t index) const;

 private:
  struct Field {
    uint32_t name_begin, name_size, value_begin, value_size;
  };
  std::string_view NameOf(const Field& field) const;
  std::string_view ValueOf(const Field& field) const;

  std::string block_;
  std::vector<Field> fields_;
};

/// Immutable bytes with shared ownership: a watch event is encoded once and queued a thousand
/// times.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::string text);
  explicit Bytes(const Frozen<std::string>& text)
      : owner_(text), view_(text ? std::string_view(*text) : std::string_view()) {}
  /// `view` lies in something `owner` keeps alive.
  Bytes(std::shared_ptr<const void> owner, std::string_view view)
      : owner_(std::move(owner)), view_(view) {}
  /// For literals: nothing is owned, nothing is copied.
  static Bytes Literal(std::string_view text) { return {nullptr, text}; }

  std::string_view view() const { return view_; }
  size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view view_;
};

/// The body of an answer: bytes of one owner or of several, one after the other. Copying it copies
/// no bytes.
class Body {
 public:
  Body() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): bytes are a body
  Body(Bytes only) : first_(std::move(only)) {}

  /// Behind what is there already.
  void Add(Bytes piece);

  size_t size() const;
  bool empty() const { return size() == 0; }
  /// A copy in one piece. O(size).
  std::string Joined() const;
  /// Moves the pieces to `take`, in their order.
  template <class F>
  void TakeApart(F take) && {
    take(std::move(first_));
    for (Bytes& piece : rest_) take(std::move(piece));
  }

 private:
  Bytes first_;  // most bodies have no other
  std::vector<Bytes> rest_;
};

/// The peer as a verified client certificate names it (Kubernetes: CN is the user, O the groups).
struct ClientIdentity {
  std::string common_name;
  std::vector<std::string> organizations;
  std::string uid;         // OID 1.3.6.1.4.1.57683.2, empty when absent
  std::string sha256_hex;  // of the DER certificate, lower case
  WallTime not_after;      // connections outlive certificates: check it per request
};

enum class Scheme : uint8_t { kHttp, kHttps };

/// The other end of a connection. One value is shared by all its requests.
struct Peer {
  std::string address;  // "127.0.0.1:40112", "[::1]:40112"
  Scheme scheme = Scheme::kHttp;
  std::optional<ClientIdentity> certificate;  // only when verified against the client CA
  std::string certificate_error;              // a certificate was shown, and why it is not trusted
  Frozen<ShareOwner> owner = nullptr;         // of requests without credentials: the address
  /// For the embedder: what it makes of the peer, once, kept as long as the connection.
  Lazy<std::shared_ptr<const void>> meaning = {};
};

/// What became of a request's body. Unless it is whole it was not read: `body` is empty, and the
/// connection closes after the answer. A request without a body is whole, or has no room.
enum class BodyState : uint8_t {
  kWhole,     // it is there, or there is none
  kTooLarge,  // longer than the embedder's limit: the answer should be 413
  kNoRoom,    // the sender, or all together, would have more under way than the limit: 429
  kSkipped,   // from a stranger (Handler::SenderOf): 401 or 403
};

/// The sender of a request.
struct Sender {
  /// The handler knows the sender; else it is a stranger.
  bool is_known = true;
  /// The owner whose share its requests and connections count in. Null: exempt.
  Frozen<ShareOwner> owner = nullptr;
  /// For the handler: what it found out, kept so that it is not found out twice.
  std::shared_ptr<const void> identity = nullptr;
};

struct Request {
  std::string method;  // as sent: methods are case-sensitive
  std::string target;  // raw origin form: path and query, still percent-encoded
  Headers headers;
  std::string body;
  BodyState body_state = BodyState::kWhole;
  Frozen<Peer> peer;
  Sender sender = {};
  /// What it holds of all that may be under way (RequestBytes and the body): until the request is
  /// gone, or as long as the object that takes it over.
  ShareBudget::Claim claim = {};

  /// The target up to the first '?', still encoded.
  std::string_view path() const;
  /// The target after the first '?', still encoded; empty when there is none.
  std::string_view query() const;
};

struct ResponseHead {
  int status = 200;
  /// Content-Length, Transfer-Encoding, Connection and Date are the engine's and dropped if given.
  Headers headers = {};
};

/// "Not Found" for 404; empty for codes without a phrase.
std::string_view ReasonPhrase(int status);

enum class WriteOutcome : uint8_t {
  kQueued,
  kFull,    // not taken: kStreamQueueBytesMax are waiting; continue at OnWritable
  kClosed,  // not taken: the peer is gone or the answer is finished
};

/// The way to answer one request, kept as long as the answer takes.
///
/// All calls belong on the thread of reactor(); the last reference may be dropped anywhere. One
/// that was never answered, or whose stream was not finished, is broken off when dropped, so no
/// client waits for ever. Calls after the peer went away do nothing.
class Responder {
 public:
  virtual ~Responder() = default;

  /// The whole answer. The bytes are shared, not copied. Only the first answer counts.
  virtual void Respond(ResponseHead head, Body body) = 0;

  /// Begins a streamed answer; the head goes out at once. Then Write any number of times.
  virtual void Start(ResponseHead head) = 0;
  /// Queues one piece. The first piece, and any while nothing waits, is taken at every size.
  virtual WriteOutcome Write(Bytes piece) = 0;
  /// Ends the stream cleanly: what is queued still goes out.
  virtual void Finish() = 0;
  /// Breaks the answer off: the peer sees an incomplete message.
  virtual void Abort() = 0;
  /// This answer takes long by design, such as a profile of thirty seconds: it is not reported as a
  /// request that waits. Start says the same. Before the answer; later it does nothing.
  virtual void MarkLongRunning() {}

  /// Bytes of this answer the kernel has not taken yet.
  virtual size_t queued_bytes() const = 0;
  /// True once nothing written can reach the peer any more.
  virtual bool closed() const = 0;

  /// `callback` runs once, on the reactor thread and never inside another call of this object,
  /// when the peer goes away or the connection breaks before the answer was complete. Runs soon if
  /// that has already happened; not at all after a complete answer.
  virtual void OnClose(std::function<void()> callback) = 0;
  /// `callback` runs once, likewise, when less than half of the bound is queued after a kFull.
  virtual void OnWritable(std::function<void()> callback) = 0;
  /// `callback` runs once, likewise, when the server begins to shut down, at once if it has: a
  /// stream without an end of its own should Finish, so that its reader sees a clean end.
  virtual void OnShutdown(std::function<void()> callback) = 0;

  virtual Reactor& reactor() = 0;
};

/// What a server does with requests. Called on reactor threads (several when there are several
/// reactors) and must not block; the answer may come at once or later.
class Handler {
 public:
  virtual ~Handler() = default;
  /// The sender of `head`, a request without its body yet. A stranger's body is not read, nor asked
  /// for with 100 Continue, and connections of strangers share little memory and few descriptors. A
  /// known sender has a share of requests under way and of connections, too. Called on reactor
  /// threads, once for every request.
  virtual Sender SenderOf(const Request& /*head*/) const { return {}; }
  virtual void Handle(Request request, std::shared_ptr<Responder> responder) = 0;
};

}  // namespace dray::net
