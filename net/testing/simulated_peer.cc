// SPDX-License-Identifier: Apache-2.0
#include "net/testing/simulated_peer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "net/http1/reader.h"
#include "net/testing/http2_peer.h"
#include "net/testing/simulated_network.h"

namespace dray::net::testing {
namespace {

size_t OneOf(SimulatedNetwork& network, std::initializer_list<size_t> sizes) {
  return *(sizes.begin() + static_cast<ptrdiff_t>(network.Below(sizes.size())));
}

/// The body of a request, whose size its path names.
std::optional<std::string> SomeBody(SimulatedNetwork& network, size_t bytes_max) {
  if (bytes_max == 0 || !network.OneIn(3)) return std::nullopt;
  return std::string(OneOf(network, {0, 1, bytes_max / 20, bytes_max}), 'b');
}

std::string PathFor(const std::optional<std::string>& body) {
  return fmt::format("/{}", body ? body->size() : 0);
}

/// Empty when an answer's body has the size that its head promises.
std::string CheckSize(const Headers& headers, size_t size) {
  const std::string promised(headers.Get("x-size"));
  if (promised.empty() || promised == std::to_string(size)) return {};
  return fmt::format("an answer of {} bytes has {}", promised, size);
}

class Http1Peer final : public PeerProtocol {
 public:
  Http1Peer(SimulatedNetwork& network, PeerOptions options)
      : network_(network),
        options_(options),
        left_(options.requests),
        depth_(network.OneIn(2) ? 1 : static_cast<int>(options.at_once)) {}

  std::string TakeOutput() override {
    std::string out;
    while (left_ > 0 && waiting_ < depth_ && !ended_) {
      --left_;
      ++waiting_;
      Ask(out);
    }
    return out;
  }

  bool Feed(std::string_view bytes) override {
    while (!bytes.empty()) {
      if (waiting_ == 0) return false;
      bytes.remove_prefix(reader_.Feed(bytes, body_));
      if (reader_.phase() == http1::Reader::Phase::kFailed) return false;
      if (reader_.phase() == http1::Reader::Phase::kDone) EndAnswer();
    }
    return true;
  }

  void OnEnd() override {
    reader_.EndOfInput();
    if (reader_.phase() == http1::Reader::Phase::kDone) EndAnswer();
    ended_ = true;
  }
  bool has_asked_all() const override { return left_ == 0; }
  bool is_complete() const override { return left_ == 0 && waiting_ == 0; }
  std::string state() const override {
    return fmt::format("HTTP/1.1, {} to ask, {} wait", left_, waiting_);
  }
  std::string mistake() const override { return mistake_; }

 private:
  void Ask(std::string& out) {
    const std::optional<std::string> body = SomeBody(network_, options_.body_bytes_max);
    out += fmt::format("{} {} HTTP/1.1\r\nHost: h\r\n", body ? "POST" : "GET", PathFor(body));
    if (body && network_.OneIn(2)) {
      out += "Transfer-Encoding: chunked\r\n\r\n";
      if (!body->empty()) out += fmt::format("{:x}\r\n{}\r\n", body->size(), *body);
      out += "0\r\n\r\n";
    } else {
      if (body) out += fmt::format("Content-Length: {}\r\n", body->size());
      out += "\r\n" + body.value_or("");
    }
  }

  void EndAnswer() {
    if (mistake_.empty()) mistake_ = CheckSize(reader_.head().headers, body_.size());
    --waiting_;
    body_.clear();
    reader_.Reset();
  }

  SimulatedNetwork& network_;
  const PeerOptions options_;
  int left_;
  const int depth_;  // requests that wait at once
  int waiting_ = 0;
  bool ended_ = false;
  http1::Reader reader_{http1::Reader::Role::kResponse};
  std::string body_, mistake_;
};

class Http2ProtocolPeer final : public PeerProtocol {
 public:
  Http2ProtocolPeer(SimulatedNetwork& network, PeerOptions options)
      : network_(network),
        options_(options),
        left_(options.requests),
        peer_({.stream_window = static_cast<uint32_t>(
                   OneOf(network, {1'000, 5'000, 65'535, 1'000'000, 1'000'000'000}))}) {}

  std::string TakeOutput() override {
    // The first alone: after it the two sides have agreed on everything.
    const size_t depth = has_answer_ ? options_.at_once : 1;
    while (left_ > 0 && open_.size() < depth && !ended_ && peer_.goaways().empty()) {
      --left_;
      std::optional<std::string> body = SomeBody(network_, options_.body_bytes_max);
      const std::string path = PathFor(body);
      const char* const method = body ? "POST" : "GET";
      open_.push_back(peer_.Ask(method, path, {}, std::move(body)));
    }
    return peer_.Take();
  }

  bool Feed(std::string_view bytes) override {
    const bool is_fine = peer_.Feed(bytes);
    std::erase_if(open_, [&](int32_t id) {
      Http2Peer::Answer& answer = peer_.answer(id);
      if (!answer.ended && !answer.closed) return false;
      if (answer.ended && mistake_.empty()) {
        mistake_ = CheckSize(answer.headers, answer.body.size());
      }
      std::string().swap(answer.body);
      has_answer_ = true;
      return true;
    });
    return is_fine;
  }

  void OnEnd() override { ended_ = true; }
  bool has_asked_all() const override { return left_ == 0 || !peer_.goaways().empty(); }
  bool is_complete() const override {
    return open_.empty() && (left_ == 0 || !peer_.goaways().empty());
  }
  std::string state() const override {
    std::string text = fmt::format("HTTP/2, {} to ask, {} wait:", left_, open_.size());
    for (const int32_t id : open_) {
      const auto found = peer_.answers().find(id);
      const bool has_head = found != peer_.answers().end() && found->second.status != 0;
      text += fmt::format(
          " {}{}", id, has_head ? fmt::format("({} bytes)", found->second.body.size()) : "");
    }
    return text;
  }
  std::string mistake() const override { return mistake_; }

 private:
  SimulatedNetwork& network_;
  const PeerOptions options_;
  int left_;
  Http2Peer peer_;
  std::vector<int32_t> open_;
  bool has_answer_ = false;
  bool ended_ = false;
  std::string mistake_;
};

SimulatedPeer::Manner SomeManner(SimulatedNetwork& network) {
  using Manner = SimulatedPeer::Manner;
  constexpr std::array kAll = {Manner::kPolite,
                               Manner::kPolite,
                               Manner::kPolite,
                               Manner::kStays,
                               Manner::kStays,
                               Manner::kHalfCloses,
                               Manner::kResets,
                               Manner::kStops,
                               Manner::kGarbage};
  return kAll[network.Below(kAll.size())];
}

}  // namespace

std::unique_ptr<PeerProtocol> MakeHttp1Peer(SimulatedNetwork& network, PeerOptions options) {
  return std::make_unique<Http1Peer>(network, options);
}

std::unique_ptr<PeerProtocol> MakeHttp2Peer(SimulatedNetwork& network, PeerOptions options) {
  return std::make_unique<Http2ProtocolPeer>(network, options);
}

SimulatedPeer::Habits SimulatedPeer::SomeHabits(SimulatedNetwork& network) {
  const size_t piece_max = OneOf(network, {1, 30, 1'000, 16'000});
  return {.manner = SomeManner(network),
          .is_http2 = !network.OneIn(3),
          .uses_tls = !network.OneIn(3),
          .piece_max = piece_max,
          .burst_max = OneOf(network, {1, 5, 100}),
          .read_max = OneOf(network, {1'000, 4'000, 16'384}),
          .reluctance = 1 + network.Below(20),
          .requests = {.requests = 1 + static_cast<int>(network.Below(12)),
                       .at_once = 1 + network.Below(12),
                       // Some hundred pieces make a body, however small they are.
                       .body_bytes_max = std::min<size_t>(300 * piece_max, 100'000)}};
}

SimulatedPeer::Habits SimulatedPeer::BurstyHabits(SimulatedNetwork& network) {
  // All at once, so that no later request hides that one is stuck.
  const auto requests = static_cast<int>(50 + network.Below(200));
  return {.piece_max = 12,
          .burst_max = 100,
          .read_max = 16'384,
          .reluctance = 1 + network.Below(5),
          .requests = {.requests = requests, .at_once = 1000, .body_bytes_max = 0}};
}

SimulatedPeer::SimulatedPeer(SimulatedNetwork& network,
                             const Habits& habits,
                             const Contexts& contexts,
                             WallTime now,
                             int number)
    : network_(network),
      now_(now),
      number_(number),
      habits_(habits),
      tls_(!habits.uses_tls  ? nullptr
           : habits.is_http2 ? contexts.http2
                             : contexts.http1),
      until_stop_(OneOf(network, {0, 3, 100, 1'000, 50'000})) {}

SimulatedPeer::~SimulatedPeer() = default;

void SimulatedPeer::Begin() {
  has_begun_ = true;
  const auto room = [this] { return OneOf(network_, {2'000, 20'000, 200'000, 3'000'000}); };
  socket_ = network_.Connect(room(), room());
  transport_ = tls_ == nullptr ? MakePlainTransport(*socket_)
                               : tls::MakeClientTransport(*tls_, *socket_, "127.0.0.1", now_);
  protocol_ = habits_.is_http2 ? MakeHttp2Peer(network_, habits_.requests)
                               : MakeHttp1Peer(network_, habits_.requests);
  if (habits_.manner == Manner::kGarbage) {
    for (size_t i = 0; i < until_stop_; ++i) unsent_ += static_cast<char>(network_.Below(256));
  }
}

bool SimulatedPeer::Step(bool hesitates) {
  if (has_begun_ && socket_ == nullptr) return false;
  if (!has_begun_) {
    if (hesitates && !network_.OneIn(4)) return false;
    Begin();
    return true;
  }
  if (habits_.manner == Manner::kResets && network_.OneIn(100)) {
    Leave();
    return true;
  }
  if (has_stopped_) return false;
  // TLS may have bytes that the socket has given already, so both count.
  const auto moves = [this] { return network_.client_moves() + own_moves_; };
  const uint64_t before = moves();
  const bool reads_first = network_.OneIn(2);
  const bool reads = !hesitates || network_.OneIn(habits_.reluctance);
  if (reads_first && reads && !Receive()) return true;
  for (uint64_t pieces = 1 + network_.Below(habits_.burst_max); pieces > 0 && !has_stopped_;
       --pieces) {
    if (!Send()) return true;
  }
  if (!reads_first && reads && moves() == before && !Receive()) return true;
  return moves() != before;
}

/// False: the handshake is not over.
bool SimulatedPeer::Shake() {
  if (has_shaken_) return true;
  const IoStatus status = transport_->Handshake();
  has_shaken_ = status == IoStatus::kDone;
  return has_shaken_ || IsBad(status);
}

bool SimulatedPeer::IsBad(IoStatus status) const {
  return status == IoStatus::kEnd || status == IoStatus::kBroken;
}

/// False: the peer has left.
bool SimulatedPeer::Send() {
  if (!Shake()) return true;
  if (unsent_.empty() && habits_.manner != Manner::kGarbage) unsent_ = protocol_->TakeOutput();
  if (unsent_.empty()) {
    if (protocol_->is_complete() && habits_.manner == Manner::kPolite) {
      Leave();
      return false;
    }
    const bool ends = habits_.manner == Manner::kHalfCloses && protocol_->has_asked_all();
    if (ends && !std::exchange(has_ended_sending_, true)) transport_->EndWriting();
    return true;
  }
  if (piece_ == 0) piece_ = std::min<size_t>(unsent_.size(), 1 + network_.Below(habits_.piece_max));
  const IoResult result = transport_->Write(std::string_view(unsent_).substr(0, piece_));
  if (result.status != IoStatus::kDone) return true;  // what was wrong, reading will tell
  piece_ = 0;
  unsent_.erase(0, result.size);
  ++own_moves_;
  if (habits_.manner == Manner::kStops) {
    has_stopped_ = until_stop_ <= result.size;
    until_stop_ -= std::min(until_stop_, result.size);
  }
  return true;
}

/// False: the peer has left.
bool SimulatedPeer::Receive() {
  if (!Shake()) return true;
  std::string into(1 + network_.Below(habits_.read_max), '\0');
  const IoResult result = transport_->Read(into);
  if (result.status == IoStatus::kDone) {
    has_received_ = true;
    ++own_moves_;
    const bool is_fine = protocol_->Feed(std::string_view(into).substr(0, result.size));
    if (!is_fine && habits_.manner != Manner::kGarbage) broke_protocol_ = true;
    return true;
  }
  if (!IsBad(result.status)) return true;
  protocol_->OnEnd();
  end_ = result.status == IoStatus::kEnd ? "the server ended" : transport_->failure();
  const bool may_complain = habits_.manner == Manner::kPolite || habits_.manner == Manner::kStays;
  was_cut_off_ = may_complain && has_received_ && !protocol_->is_complete();
  Leave();
  return false;
}

void SimulatedPeer::Leave() {
  transport_.reset();
  socket_->Close();
  socket_.reset();
}

bool SimulatedPeer::is_owed() const {
  const bool is_rude = habits_.manner == Manner::kResets || habits_.manner == Manner::kStops ||
                       habits_.manner == Manner::kGarbage;
  if (is_rude || is_gone()) return false;
  if (!has_begun_) return true;
  if (habits_.manner == Manner::kHalfCloses)
    return !habits_.is_http2;  // HTTP/2 needs window updates
  return !protocol_->is_complete() || !unsent_.empty();
}

std::string SimulatedPeer::mistake() const {
  if (broke_protocol_) return "the server broke the protocol";
  return protocol_ == nullptr || habits_.manner == Manner::kGarbage ? "" : protocol_->mistake();
}

std::string SimulatedPeer::state() const {
  return fmt::format("peer {}{} {}: {}, {} bytes unsent{}{}",
                     number_,
                     tls_ == nullptr ? "" : " over TLS",
                     static_cast<int>(habits_.manner),
                     protocol_ == nullptr ? "not begun" : protocol_->state(),
                     unsent_.size(),
                     has_shaken_ ? "" : ", no handshake",
                     is_gone() ? ", gone: " + end_ : "");
}

}  // namespace dray::net::testing
