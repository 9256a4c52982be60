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

#include "net/testing/peer_protocol.h"
#include "net/testing/simulated_network.h"

namespace dray::net::testing {
namespace {

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

SimulatedPeer::Habits SimulatedPeer::SomeHabits(SimulatedNetwork& network) {
  const size_t piece_max = network.OneOf({1, 30, 1'000, 16'000});
  return {.manner = SomeManner(network),
          .is_http2 = !network.OneIn(3),
          .uses_tls = !network.OneIn(3),
          .piece_max = piece_max,
          .burst_max = network.OneOf({1, 5, 100}),
          .read_max = network.OneOf({1'000, 4'000, 16'384}),
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
      until_stop_(network.OneOf({0, 3, 100, 1'000, 50'000})) {}

SimulatedPeer::~SimulatedPeer() = default;

void SimulatedPeer::Begin() {
  has_begun_ = true;
  const auto room = [this] { return network_.OneOf({2'000, 20'000, 200'000, 3'000'000}); };
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
  const auto moves = [this] { return network_.outside_moves() + own_moves_; };
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
  if (result.status != IoStatus::kDone) return true;  // the next read returns the error
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
  if (habits_.manner == Manner::kHalfCloses && has_ended_sending_) {
    return !habits_.is_http2;  // which needs window updates
  }
  return protocol_->is_owed() || !unsent_.empty();
}

std::string SimulatedPeer::mistake() const {
  if (broke_protocol_) return "the server broke the protocol";
  return protocol_ == nullptr || habits_.manner == Manner::kGarbage ? "" : protocol_->mistake();
}

std::vector<size_t> SimulatedPeer::lasting_lines() const {
  const bool reads_all = habits_.manner == Manner::kPolite || habits_.manner == Manner::kStays;
  if (!reads_all || is_gone() || protocol_ == nullptr) return {};
  return protocol_->lasting_lines();
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
