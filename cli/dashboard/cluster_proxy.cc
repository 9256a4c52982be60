// SPDX-License-Identifier: Apache-2.0
#include "cli/dashboard/cluster_proxy.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/kind.h"
#include "api/object.h"
#include "base/try.h"
#include "cli/dashboard/dashboard.h"
#include "cli/dashboard/ui_gate.h"
#include "client/client.h"
#include "net/client/cancellation.h"
#include "net/client/http_client.h"
#include "net/client/request_text.h"
#include "net/reactor.h"
#include "net/url.h"
#include "server/errors/errors.h"

namespace dray::cli::inline dashboard {
namespace {

constexpr std::chrono::milliseconds kQuiet(
    60'000);  // then a watch looks again; nothing depends on it

Error Unreachable(const Error& error) {
  return server::errors::WithoutSubject(
      StatusReason::kServiceUnavailable,
      fmt::format("the cluster does not answer: {}", error.message));
}

/// What goes to the cluster of a request: not its token, which is this program's.
net::client::ClientRequest RequestFor(const net::Request& request) {
  net::client::ClientRequest asked{.method = request.method, .target = request.target};
  for (const std::string_view name : {"Accept", "Content-Type"}) {
    if (request.headers.Has(name)) asked.headers.Add(name, request.headers.Get(name));
  }
  asked.body = request.body;
  return asked;
}

net::ResponseHead HeadOf(int status, const net::Headers& headers) {
  net::ResponseHead head{.status = status};
  for (const std::string_view name : {"Content-Type", "Warning", "Retry-After"}) {
    for (const std::string_view value : headers.All(name)) head.headers.Add(name, value);
  }
  head.headers.Add("Cache-Control", "no-store");
  head.headers.Add("X-Content-Type-Options", "nosniff");
  return head;
}

/// Runs `step` on the thread of the answer.
void Later(const std::shared_ptr<net::Responder>& responder,
           std::move_only_function<void(net::Responder&)> step) {
  responder->reactor().Post([responder, step = std::move(step)]() mutable { step(*responder); });
}

/// A streamed answer, for a thread that may wait.
class StreamedAnswer final : public std::enable_shared_from_this<StreamedAnswer> {
 public:
  StreamedAnswer(std::shared_ptr<net::Responder> responder,
                 std::shared_ptr<const net::client::Cancellation> cancellation)
      : responder_(std::move(responder)), cancellation_(std::move(cancellation)) {}

  /// False: the client does not read any more.
  bool Start(net::ResponseHead head) {
    return Do([head = std::move(head)](StreamedAnswer& self) mutable {
      self.responder_->OnClose([weak = self.weak_from_this()] {
        if (const auto answer = weak.lock()) answer->Close();
      });
      self.responder_->Start(std::move(head));
      self.Signal(State::kTaken);
    });
  }
  /// Waits until there is room. False: as Start.
  bool Write(const std::string& line) {
    while (true) {
      const bool goes_on = Do([&line](StreamedAnswer& self) {
        const net::WriteOutcome outcome = self.responder_->Write(net::Bytes(line));
        if (outcome == net::WriteOutcome::kClosed) return self.Close();
        if (outcome == net::WriteOutcome::kQueued) return self.Signal(State::kTaken);
        self.responder_->OnWritable([weak = self.weak_from_this()] {
          if (const auto answer = weak.lock()) answer->Signal(State::kFull);
        });
      });
      if (!goes_on) return false;
      const MutexLock lock(mutex_);
      if (state_ == State::kTaken) return true;
    }
  }
  void Finish() {
    Later(responder_, [](net::Responder& responder) { responder.Finish(); });
  }

 private:
  enum class State : uint8_t { kPending, kTaken, kFull };

  /// Signals at the end, even of a step that is never run because the server has ended.
  class Turn {
   public:
    explicit Turn(std::shared_ptr<StreamedAnswer> answer) : answer_(std::move(answer)) {}
    Turn(Turn&&) = default;
    Turn& operator=(Turn&&) = delete;
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (answer_ != nullptr) answer_->Close();
    }
    std::shared_ptr<StreamedAnswer> Take() { return std::move(answer_); }

   private:
    std::shared_ptr<StreamedAnswer> answer_;
  };

  /// Runs `step` on the thread of the answer, and waits for the signal that it causes.
  bool Do(std::move_only_function<void(StreamedAnswer&)> step) {
    {
      const MutexLock lock(mutex_);
      if (is_closed_) return false;
      state_ = State::kPending;
    }
    responder_->reactor().Post([turn = Turn(shared_from_this()), step = std::move(step)]() mutable {
      step(*turn.Take());
    });
    const MutexLock lock(mutex_);
    while (state_ == State::kPending && !is_closed_) changed_.Wait(mutex_);
    return !is_closed_;
  }

  void Signal(State state) {
    const MutexLock lock(mutex_);
    state_ = state;
    changed_.NotifyAll();
  }
  void Close() {
    cancellation_->Cancel();
    const MutexLock lock(mutex_);
    is_closed_ = true;
    changed_.NotifyAll();
  }

  const std::shared_ptr<net::Responder> responder_;
  const std::shared_ptr<const net::client::Cancellation> cancellation_;
  Mutex mutex_;
  Condition changed_;
  State state_ DRAY_GUARDED_BY(mutex_) = State::kPending;
  bool is_closed_ DRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace

/// One watch, on a thread of its own.
class ProxiedWatch {
 public:
  ProxiedWatch(client::HttpClient& client,
               net::client::ClientRequest request,
               std::shared_ptr<net::Responder> responder,
               std::shared_ptr<const net::client::Cancellation> cancellation)
      : client_(client),
        request_(std::move(request)),
        responder_(std::move(responder)),
        cancellation_(std::move(cancellation)),
        thread_([this] {
          Run();
          responder_.reset();
          is_over_ = true;
        }) {}
  ~ProxiedWatch() {
    cancellation_->Cancel();
    thread_.join();
  }
  ProxiedWatch(const ProxiedWatch&) = delete;
  ProxiedWatch& operator=(const ProxiedWatch&) = delete;

  bool is_over() const { return is_over_; }

 private:
  using Outcome = net::client::ResponseStream::Outcome;

  void Run() {
    auto stream = client_.OpenStream(request_, cancellation_);
    if (!stream) return Fail(Unreachable(stream.error()));
    if ((*stream)->status() != 200) return Refuse(**stream);
    const auto answer = std::make_shared<StreamedAnswer>(responder_, cancellation_);
    if (!answer->Start(HeadOf((*stream)->status(), (*stream)->headers()))) return;
    while (true) {
      const Outcome outcome = (*stream)->ReadLine(kQuiet);
      if (outcome == Outcome::kTimeout) continue;
      // A stream that broke ends cleanly for the page too: it begins again from where it is.
      if (outcome != Outcome::kLine) return answer->Finish();
      if (!answer->Write(std::string((*stream)->line()) + '\n')) return;
    }
  }

  void Fail(Error error) {
    Later(responder_, [error = std::move(error)](net::Responder& responder) {
      RespondError(responder, error);
    });
  }

  void Refuse(net::client::ResponseStream& stream) {
    Result<std::string> body = stream.ReadRest(kQuiet);
    if (!body) return Fail(Unreachable(body.error()));
    Later(responder_,
          [head = HeadOf(stream.status(), stream.headers()),
           body = *std::move(body)](net::Responder& responder) mutable {
            responder.Respond(std::move(head), net::Bytes(std::move(body)));
          });
  }

  client::HttpClient& client_;
  const net::client::ClientRequest request_;
  std::shared_ptr<net::Responder> responder_;
  const std::shared_ptr<const net::client::Cancellation> cancellation_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;  // last: it uses everything above
};

Result<std::unique_ptr<ClusterProxy>> ClusterProxy::Open(World& world,
                                                         const client::ClusterAccess& access,
                                                         size_t watches_max) {
  DRAY_TRY(const std::shared_ptr<const net::client::Cancellation> cancellation,
           net::client::Cancellation::Create());
  DRAY_TRY(std::unique_ptr<client::HttpClient> client,
           client::HttpClient::Create(world.clock, access, cancellation));
  const Result<std::string> version = client->GetPath("/version");
  const bool is_there = version || version.error().reason == StatusReason::kForbidden ||
                        version.error().reason == StatusReason::kUnauthorized;
  if (!is_there) return dray::Fail(version.error().reason, version.error().message);
  LiveInput facts = FactsOf(*client);
  facts.namespace_ = access.namespace_;
  return std::unique_ptr<ClusterProxy>(
      new ClusterProxy(world, std::move(client), cancellation, std::move(facts), watches_max));
}

ClusterProxy::ClusterProxy(World& world,
                           std::unique_ptr<client::HttpClient> client,
                           std::shared_ptr<const net::client::Cancellation> cancellation,
                           LiveInput facts,
                           size_t watches_max)
    : client_(std::move(client)),
      cancellation_(std::move(cancellation)),
      pages_(MakeDashboard(world, std::move(facts))),
      watches_max_(watches_max),
      workers_(std::in_place, WorkerPool::UsualThreads()) {}

ClusterProxy::~ClusterProxy() = default;

void ClusterProxy::Drain() {
  is_stopping_ = true;
  cancellation_->Cancel();
  workers_.reset();
  const MutexLock lock(mutex_);
  watches_.clear();
}

void ClusterProxy::Handle(net::Request request, std::shared_ptr<net::Responder> responder) {
  const Result<net::Query> query = net::Query::Parse(request.query());
  const std::string watch(query ? query->First("watch").value_or("") : "");
  if (watch == "true" || watch == "1") return Watch(request, std::move(responder));
  const bool is_question = request.path().starts_with(server::http::kQuestionsPath);
  const bool posted =
      workers_->TryPost([this, is_question, request = std::move(request), responder] {
        if (is_question) return Answer(request, responder);
        Forward(request, responder);
      });
  if (!posted) RespondError(*responder, server::errors::TooManyRequests());
}

void ClusterProxy::Forward(const net::Request& request,
                           const std::shared_ptr<net::Responder>& responder) {
  Result<net::client::ClientResponse> answer = client_->Forward(RequestFor(request));
  Later(responder, [answer = std::move(answer)](net::Responder& to) mutable {
    if (!answer) return RespondError(to, Unreachable(answer.error()));
    to.Respond(HeadOf(answer->status, answer->headers), net::Bytes(std::move(answer->body)));
  });
}

Result<std::string> ClusterProxy::AnswerTo(const net::Request& request) {
  DRAY_TRY(const net::Query query, net::Query::Parse(request.query()));
  const std::string_view name = request.path().substr(server::http::kQuestionsPath.size());
  if (pages_->HasBody(name) != (request.method == "POST")) {
    return dray::Fail(server::errors::WithoutSubject(StatusReason::kMethodNotAllowed,
                                                     "whatif is posted, other questions are not"));
  }
  if (request.body.size() > server::http::kQuestionBytesMax) {
    return dray::Fail(
        StatusReason::kRequestEntityTooLarge,
        fmt::format("Request entity too large: limit is {}", server::http::kQuestionBytesMax));
  }
  const std::string exactly_at(query.First("resourceVersion").value_or(""));
  const auto list = [&](const api::KindInfo& kind,
                        const std::string& namespace_) -> Result<std::vector<api::Object>> {
    DRAY_TRY(client::ObjectList found,
             client_->List(kind, {.namespace_ = namespace_, .exactly_at = exactly_at}));
    return std::move(found.items);
  };
  const auto past =
      [](const api::KindInfo& /*kind*/,
         const std::string& /*namespace*/,
         const server::http::SeeTimedPast& /*see*/) -> Result<server::http::PastSpan> {
    return dray::Fail(server::errors::WithoutSubject(
        StatusReason::kNotFound, "other clusters do not tell when what changed"));
  };
  return pages_->Answer({.name = name,
                         .query = query,
                         .list = list,
                         .past = past,
                         .body = request.body,
                         .is_given_up = &is_stopping_});
}

void ClusterProxy::Answer(const net::Request& request,
                          const std::shared_ptr<net::Responder>& responder) {
  Result<std::string> answer = AnswerTo(request);
  Later(responder, [answer = std::move(answer)](net::Responder& to) mutable {
    if (!answer) return RespondError(to, answer.error());
    net::Headers headers;
    headers.Add("Content-Type", "application/json");
    to.Respond(HeadOf(200, headers), net::Bytes(*std::move(answer)));
  });
}

void ClusterProxy::Watch(const net::Request& request, std::shared_ptr<net::Responder> responder) {
  auto cancellation = net::client::Cancellation::Create();
  if (!cancellation) return RespondError(*responder, cancellation.error());
  std::list<std::unique_ptr<ProxiedWatch>> over;  // joined without the lock
  const MutexLock lock(mutex_);
  for (auto watch = watches_.begin(); watch != watches_.end();) {
    const auto next = std::next(watch);
    if ((*watch)->is_over()) over.splice(over.end(), watches_, watch);
    watch = next;
  }
  if (watches_.size() >= watches_max_)
    return RespondError(*responder, server::errors::TooManyRequests());
  watches_.push_back(std::make_unique<ProxiedWatch>(
      *client_, RequestFor(request), std::move(responder), *std::move(cancellation)));
}

}  // namespace dray::cli::inline dashboard
