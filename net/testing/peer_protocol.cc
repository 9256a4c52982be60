// SPDX-License-Identifier: Apache-2.0
#include "net/testing/peer_protocol.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "net/http.h"
#include "net/http1/reader.h"
#include "net/testing/http2_peer.h"
#include "net/testing/simulated_network.h"

namespace dray::net::testing {
namespace {

/// A request whose path names the size of its body.
PeerRequest SomeRequest(SimulatedNetwork& network, size_t bytes_max) {
  PeerRequest request{.method = "GET", .path = "/0"};
  if (bytes_max == 0 || !network.OneIn(3)) return request;
  request.method = "POST";
  request.body = std::string(network.OneOf({0, 1, bytes_max / 20, bytes_max}), 'b');
  request.path = fmt::format("/{}", request.body->size());
  return request;
}

PeerRequest NextRequest(SimulatedNetwork& network, const PeerOptions& options) {
  return options.next ? options.next() : SomeRequest(network, options.body_bytes_max);
}

std::string Judge(const PeerOptions& options,
                  const PeerRequest& request,
                  const PeerAnswer& answer) {
  if (options.judge) return options.judge(request, answer);
  const std::string promised(answer.headers.Get("x-size"));
  if (promised.empty() || promised == std::to_string(answer.body.size())) return {};
  return fmt::format("an answer of {} bytes has {}", promised, answer.body.size());
}

size_t LinesOf(std::string_view text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

class Http1Peer final : public PeerProtocol {
 public:
  Http1Peer(SimulatedNetwork& network, PeerOptions options)
      : network_(network),
        options_(std::move(options)),
        left_(options_.requests),
        depth_(network.OneIn(2) ? 1 : options_.at_once) {}

  std::string TakeOutput() override {
    std::string out;
    while (left_ > 0 && waiting_.size() < depth_ && !ended_) {
      if (!waiting_.empty() && waiting_.back().lasts) break;  // nothing is answered behind it
      --left_;
      waiting_.push_back(NextRequest(network_, options_));
      Ask(waiting_.back(), out);
    }
    return out;
  }

  bool Feed(std::string_view bytes) override {
    while (!bytes.empty()) {
      if (waiting_.empty()) return false;
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
  bool is_complete() const override {
    return left_ == 0 && (waiting_.empty() || (waiting_.size() == 1 && lasts()));
  }
  bool is_owed() const override { return !is_complete() && !lasts(); }
  std::vector<size_t> lasting_lines() const override {
    return lasts() ? std::vector<size_t>{LinesOf(body_)} : std::vector<size_t>();
  }
  std::string state() const override {
    return fmt::format("HTTP/1.1, {} to ask, {} wait{}",
                       left_,
                       waiting_.size(),
                       waiting_.empty() ? "" : ", for " + waiting_.front().path);
  }
  std::string mistake() const override { return mistake_; }

 private:
  /// The head of an answer that lasts is here.
  bool lasts() const {
    return !waiting_.empty() && waiting_.front().lasts &&
           reader_.phase() == http1::Reader::Phase::kBody;
  }

  void Ask(const PeerRequest& request, std::string& out) {
    out += fmt::format("{} {} HTTP/1.1\r\nHost: h\r\n", request.method, request.path);
    for (const auto& [name, value] : request.fields) out += fmt::format("{}: {}\r\n", name, value);
    const std::optional<std::string>& body = request.body;
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
    const PeerAnswer answer{
        .status = reader_.head().status, .headers = reader_.head().headers, .body = body_};
    if (mistake_.empty()) mistake_ = Judge(options_, waiting_.front(), answer);
    waiting_.pop_front();
    body_.clear();
    reader_.Reset();
  }

  SimulatedNetwork& network_;
  const PeerOptions options_;
  int left_;
  const size_t depth_;  // requests that wait at once
  std::deque<PeerRequest> waiting_;
  bool ended_ = false;
  http1::Reader reader_{http1::Reader::Role::kResponse};
  std::string body_, mistake_;
};

class Http2ProtocolPeer final : public PeerProtocol {
 public:
  Http2ProtocolPeer(SimulatedNetwork& network, PeerOptions options)
      : network_(network),
        options_(std::move(options)),
        left_(options_.requests),
        peer_({.stream_window = static_cast<uint32_t>(
                   network.OneOf({1'000, 5'000, 65'535, 1'000'000, 1'000'000'000}))}) {}

  std::string TakeOutput() override {
    // The first alone: after it the two sides have agreed on everything.
    const size_t depth = has_answer_ ? options_.at_once : 1;
    while (left_ > 0 && owed() < depth && !ended_ && peer_.goaways().empty()) {
      --left_;
      PeerRequest request = NextRequest(network_, options_);
      const int32_t id = peer_.Ask(request.method, request.path, request.fields, request.body);
      open_.emplace(id, std::move(request));
    }
    return peer_.Take();
  }

  bool Feed(std::string_view bytes) override {
    const bool is_fine = peer_.Feed(bytes);
    std::erase_if(open_, [&](const auto& entry) {
      Http2Peer::Answer& answer = peer_.answer(entry.first);
      if (answer.status != 0 && entry.second.lasts) {
        has_answer_ = true;
        lasting_.insert(entry.first);
      }
      if (!answer.ended && !answer.closed) return false;
      lasting_.erase(entry.first);
      if (answer.ended && mistake_.empty()) {
        mistake_ = Judge(options_,
                         entry.second,
                         {.status = answer.status, .headers = answer.headers, .body = answer.body});
      }
      std::string().swap(answer.body);
      has_answer_ = true;
      return true;
    });
    return is_fine;
  }

  void OnEnd() override { ended_ = true; }
  bool has_asked_all() const override { return left_ == 0 || !peer_.goaways().empty(); }
  bool is_complete() const override { return owed() == 0 && has_asked_all(); }
  std::vector<size_t> lasting_lines() const override {
    std::vector<size_t> lines;
    for (const int32_t id : lasting_) lines.push_back(LinesOf(peer_.answers().at(id).body));
    return lines;
  }
  std::string state() const override {
    std::string text = fmt::format("HTTP/2, {} to ask, {} wait:", left_, open_.size());
    for (const auto& [id, request] : open_) {
      const auto found = peer_.answers().find(id);
      const bool has_head = found != peer_.answers().end() && found->second.status != 0;
      text += fmt::format(
          " {}{}", id, has_head ? fmt::format("({} bytes)", found->second.body.size()) : "");
    }
    return text;
  }
  std::string mistake() const override { return mistake_; }

 private:
  size_t owed() const { return open_.size() - lasting_.size(); }

  SimulatedNetwork& network_;
  const PeerOptions options_;
  int left_;
  Http2Peer peer_;
  std::map<int32_t, PeerRequest> open_;
  std::set<int32_t> lasting_;  // of them, those whose answers have begun and last
  bool has_answer_ = false;
  bool ended_ = false;
  std::string mistake_;
};

}  // namespace

std::unique_ptr<PeerProtocol> MakeHttp1Peer(SimulatedNetwork& network, PeerOptions options) {
  return std::make_unique<Http1Peer>(network, std::move(options));
}

std::unique_ptr<PeerProtocol> MakeHttp2Peer(SimulatedNetwork& network, PeerOptions options) {
  return std::make_unique<Http2ProtocolPeer>(network, std::move(options));
}

}  // namespace dray::net::testing
