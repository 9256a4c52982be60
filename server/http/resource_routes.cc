// SPDX-License-Identifier: Apache-2.0
// Resource requests: from HTTP to the verbs and back.
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/codec/yaml.h"
#include "api/custom_kind.h"
#include "api/text/go_quote.h"
#include "base/task.h"
#include "base/try.h"
#include "base/worker_pool.h"
#include "server/errors/errors.h"
#include "server/http/exchange.h"
#include "server/http/flow.h"
#include "server/http/negotiation.h"
#include "server/http/query_options.h"
#include "server/http/watch_stream.h"
#include "server/registry/served_kinds.h"
#include "server/verbs/context/decode_body.h"
#include "server/verbs/subresources/subresources.h"

namespace dray::server::http {
namespace {

using verbs::ResourceRequest;
using verbs::Verb;

// Upstream's storage for the status of newer kinds has no tables: it returns the object itself.
bool IsShownAsTable(const Route& route) {
  if (route.subresource == "scale" || api::IsCustom(*route.info)) return true;
  return route.subresource == "status" && route.info->group != "resource.k8s.io" &&
         route.info->group != "scheduling.k8s.io";
}

Endpoint EndpointOf(const Route& route) {
  switch (route.verb) {
    case Verb::kWatch: return Endpoint::kWatch;
    case Verb::kList:
    case Verb::kDeleteCollection: return Endpoint::kList;
    case Verb::kGet:
      // `kubectl get --subresource` prints a table.
      if (IsShownAsTable(route)) return Endpoint::kObject;
      [[fallthrough]];
    case Verb::kCreate:
    case Verb::kUpdate:
    case Verb::kPatch:
    case Verb::kDelete:
      // Kinds that are never stored have no tables.
      return route.subresource.empty() && !route.info->create_only ? Endpoint::kObject
                                                                   : Endpoint::kSubresource;
  }
  return Endpoint::kObject;
}

// Names that no path segment may have, whatever the kind.
Result<> CheckSegment(std::string_view name) {
  std::string_view problem;
  if (name == ".") problem = "may not be '.'";
  if (name == "..") problem = "may not be '..'";
  if (name.find('%') != std::string_view::npos) problem = "may not contain '%'";
  if (problem.empty()) return {};
  return Fail(errors::BadRequest(
      fmt::format("Name parameter invalid: {}: {}", api::GoQuote(name), problem)));
}

Origin OriginOf(const api::KindInfo& kind) {
  return api::IsCustom(kind) ? Origin::kCustom : Origin::kBuiltIn;
}

bool IsDelete(Verb verb) {
  return verb == Verb::kDelete || verb == Verb::kDeleteCollection;
}

bool HasBody(Verb verb) {
  return verb == Verb::kCreate || verb == Verb::kUpdate || verb == Verb::kPatch || IsDelete(verb);
}

}  // namespace

void Exchange::ServeResource() {
  std::string deprecated = registry::DeprecationWarning(*route_.info, parts_.resources.release());
  if (!deprecated.empty()) warnings_.push_back(std::move(deprecated));
  auto request = ReadRequest();
  if (!request) return SendError(request.error());
  if (request->verb == Verb::kWatch) return BeginWatch(*std::move(request));
  WorkerPool* const workers = parts_.resources.workers();
  const bool by_worker = workers != nullptr && workers->in_pool();
  Start(parts_.resources.Handle(*std::move(request)),
        [self = shared_from_this(), pending = Pending(parts_.pending)](
            Result<verbs::Answer> result) { self->Finished(std::move(result)); });
  if (!by_worker && !answered_) StartDeadline();
}

// Called on the thread on which the verb ended: the reactor's, a worker's or the store's. The
// store's thread must not be held up.
void Exchange::Finished(Result<verbs::Answer> result) {
  Guarded([&] {
    if (answered_) return;
    verbs::Answer answer;
    if (result) {
      answer = *std::move(result);
    } else {
      answer.outcome = std::move(result).failure();
    }
    net::Reactor& reactor = responder_->reactor();
    WorkerPool* const workers = parts_.resources.workers();
    if (reactor.in_thread() || (workers != nullptr && workers->in_pool())) {
      return Answered(std::move(answer));
    }
    reactor.Post([self = shared_from_this(), answer = std::move(answer)]() mutable {
      self->Guarded([&] { self->Answered(std::move(answer)); });
    });
  });
}

Result<ResourceRequest> Exchange::ReadRequest() {
  const Origin origin = OriginOf(*route_.info);
  DRAY_TRY(rendering_.form, Negotiate(request_.headers.Get("Accept"), EndpointOf(route_), origin));
  if (rendering_.form.transform == documents::Transform::kTable) {
    rendering_.table.version = rendering_.form.version;
    rendering_.table.is_of_custom_kind = origin == Origin::kCustom;
    DRAY_TRY(
        rendering_.table.include,
        documents::IncludeObjectOf(query_.First("includeObject").value_or(std::string_view())));
  }
  ResourceRequest request;
  request.verb = route_.verb;
  request.kind = route_.info;
  request.release = parts_.resources.release();
  request.namespace_ = route_.namespace_;
  request.name = route_.name;
  request.subresource = route_.subresource;
  request.user = who_.user;
  request.owner = who_.owner;
  request.deadline = began_ + TimeLimit();
  request.is_given_up = &answered_;
  DRAY_TRY_VOID(CheckSegment(request.name));
  if (request.verb == Verb::kPatch) {
    DRAY_TRY(request.patch_type, PatchTypeOf(request_.headers.Get("Content-Type"), origin));
  }
  DRAY_TRY_VOID(ReadQueryOptions(query_, request_.headers.Get("User-Agent"), request));
  if (route_.watch_prefix && !request.name.empty()) {
    // The old form of watching one object.
    std::string& fields = request.list.field_selector;
    if (!fields.empty()) fields += ',';
    fields += "metadata.name=" + std::exchange(request.name, {});
  }
  if (verbs::NeedsRunningContainers(request.subresource)) {
    request.connect_options = query_.parameters();
  } else if (HasBody(request.verb)) {
    DRAY_TRY_VOID(ReadBody(request));
  }
  if (audited_ != nullptr) AuditBody(request);
  return request;
}

Result<> Exchange::ReadBody(ResourceRequest& request) {
  bool yaml = request.verb == Verb::kPatch && request.patch_type == patch::PatchType::kApply;
  if (request.verb != Verb::kPatch && !request_.body.empty()) {
    DRAY_TRY(const BodyFormat format, BodyFormatOf(request_.headers.Get("Content-Type")));
    if (format == BodyFormat::kProtobuf) return ReadProtobufBody(request);
    yaml = format == BodyFormat::kYaml;
  }
  DRAY_TRY(std::string json, JsonBody(request, yaml));
  if (IsDelete(request.verb)) {
    auto options = ReadDeleteOptions(*parts_.resources.scheme().Now(), query_, json);
    if (!options && !json.empty()) return Fail(UnreadableOptions(options.error(), request.release));
    DRAY_TRY(request.delete_options, std::move(options));
    return {};
  }
  request.body = std::move(json);
  return {};
}

Result<> Exchange::ReadProtobufBody(ResourceRequest& request) {
  if (IsDelete(request.verb)) {
    auto options = DeleteOptionsOfProtobuf(*parts_.resources.scheme().Now(), request_.body);
    if (!options) return Fail(UnreadableOptions(options.error(), request.release));
    request.delete_options = *std::move(options);
    return {};
  }
  request.body = verbs::ProtobufBody{.bytes = std::move(request_.body)};
  return {};
}

Result<std::string> Exchange::JsonBody(ResourceRequest& request, bool yaml) {
  if (!yaml || request_.body.empty()) return std::move(request_.body);
  auto document = api::YamlToJson(request_.body);
  if (!document) {
    return Fail(errors::BadRequest("error converting YAML to JSON: " + document.error().message));
  }
  if (request.verb == Verb::kPatch) {
    request.duplicate_keys = std::move(document->duplicates);
  } else if (!document->duplicates.empty() && !IsDelete(request.verb)) {
    const std::string message = api::DuplicateKeysMessage(document->duplicates);
    switch (request.write.field_validation) {
      case verbs::FieldValidation::kStrict:
        return Fail(errors::BadRequest(fmt::format(
            "{0} in version \"{1}\" cannot be handled as a {0}: strict decoding error: {2}",
            request.kind->kind,
            request.kind->version,
            message)));
      case verbs::FieldValidation::kWarn:
        // Upstream tells them one by one where it knows no types.
        if (api::IsCustom(*request.kind)) {
          warnings_.insert(
              warnings_.end(), document->duplicates.begin(), document->duplicates.end());
        } else {
          warnings_.push_back(message);
        }
        break;
      case verbs::FieldValidation::kIgnore: break;
    }
  }
  return std::move(document->json);
}

// A watch begins on the reactor's thread.
void Exchange::BeginWatch(ResourceRequest request) {
  if (!parts_.resources.MustPrepareWatch(request)) return Watch(request);
  Task<> prepared = parts_.resources.PrepareWatch(request);
  Start(std::move(prepared),
        [self = shared_from_this(),
         pending = Pending(parts_.pending),
         request = std::move(request)](Result<> result) mutable {
          net::Reactor& reactor = self->responder_->reactor();
          reactor.Post([self = std::move(self),
                        request = std::move(request),
                        result = std::move(result)]() mutable {
            self->Guarded([&] {
              if (self->answered_) return;
              if (!result.has_value()) return self->SendError(result.error());
              self->Watch(request);
            });
          });
        });
}

void Exchange::Watch(const ResourceRequest& request) {
  auto cursor = parts_.resources.Watch(request);
  if (!cursor) {
    if (cursor.error().reason == StatusReason::kTooManyRequests) {
      parts_.metrics->requests.CountRefused(FlowOf(who_.user, asked_));
    }
    return SendError(cursor.error());
  }
  Count(200, 0, {});
  // Lines of a watch are never indented, so that a line stays an event.
  rendering_.pretty = false;
  const net::ResponseHead head = Head(200, documents::StreamMediaType(rendering_.form.encoding));
  std::shared_ptr<audit::AuditedRequest> audited = std::move(audited_);
  if (audited != nullptr) audited->Started(head.status);
  WatchStream::Run(*std::move(cursor),
                   std::move(responder_),
                   {.head = head,
                    .rendering = rendering_,
                    .counted = parts_.metrics->requests.Open(route_),
                    .queued = ShareBudget::Claim(parts_.answers, who_.owner),
                    .audited = std::move(audited)},
                   {.scopes = parts_.watch_scopes, .clock = parts_.world.clock});
}

void Exchange::Answered(verbs::Answer answer) {
  warnings_.insert(warnings_.end(), answer.warnings.begin(), answer.warnings.end());
  if (audited_ != nullptr) AuditAnswer(answer);
  if (!answer.outcome) return SendError(answer.outcome.error());
  const std::string_view media_type = documents::MediaType(rendering_.form.encoding);
  if (const auto* list = std::get_if<verbs::ListAnswer>(&*answer.outcome)) {
    Result<documents::TextPieces> body = documents::AnswerBody(*list, rendering_);
    if (!body) return SendError(body.error());
    return SendPieces(Head(200, media_type), *std::move(body));
  }
  int code = 200;
  Result<std::string> body;
  if (const auto* object = std::get_if<verbs::ObjectAnswer>(&*answer.outcome)) {
    code = object->code;
    body = documents::AnswerBody(*object, rendering_);
  } else if (const auto* status = std::get_if<verbs::StatusAnswer>(&*answer.outcome)) {
    code = status->code;
    body = documents::StatusBody(status->status, rendering_.form, rendering_.pretty);
  }
  if (!body) return SendError(body.error());
  Send(Head(code, media_type), *std::move(body));
}

}  // namespace dray::server::http
