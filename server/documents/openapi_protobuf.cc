// SPDX-License-Identifier: Apache-2.0
// Numbers are those of gnostic's OpenAPIv2.proto and OpenAPIv3.proto.
#include "server/documents/openapi_protobuf.h"

#include <cstddef>
#include <cstdint>

#include "api/codec/json_tree.h"
#include "base/try.h"
#include "server/documents/openapi_messages.h"

namespace dray::server::documents {
namespace {

using api::JsonTree;
using GnosticForm = gnostic::Form;
using gnostic::kFirst;
using gnostic::kSecond;
using gnostic::Member;
using gnostic::Message;
using gnostic::Place;

constexpr size_t kDocumentDepthMax = 100;

// ------------------------------------------------------------------------------------- version 2

namespace v2 {

const Message& Schema() {
  static constexpr Member kMembers[] = {
      {.name = "$ref", .number = 1, .form = GnosticForm::kText},
      {.name = "format", .number = 2, .form = GnosticForm::kText},
      {.name = "description", .number = 4, .form = GnosticForm::kText},
      {.name = "default", .number = 5, .form = GnosticForm::kAny},
      {.name = "required", .number = 19, .form = GnosticForm::kTexts},
      {.name = "enum", .number = 20, .form = GnosticForm::kAnys},
      {.name = "additionalProperties",
       .number = 21,
       .form = GnosticForm::kMessage,
       .message = Schema,
       .around = kFirst},
      {.name = "type", .number = 22, .form = GnosticForm::kText, .around = kFirst},
      {.name = "items",
       .number = 23,
       .form = GnosticForm::kMessage,
       .message = Schema,
       .around = kFirst},
      {.name = "properties",
       .number = 25,
       .form = GnosticForm::kNamed,
       .message = Schema,
       .around = kFirst}};
  static constexpr Message kMessage = {.members = kMembers, .extensions = 31};
  return kMessage;
}

const Message& BodyParameter() {
  static constexpr Member kMembers[] = {
      {.name = "description", .number = 1, .form = GnosticForm::kText},
      {.name = "name", .number = 2, .form = GnosticForm::kText},
      {.name = "in", .number = 3, .form = GnosticForm::kText},
      {.name = "required", .number = 4, .form = GnosticForm::kFlag},
      {.name = "schema", .number = 5, .form = GnosticForm::kMessage, .message = Schema}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& QueryParameter() {
  static constexpr Member kMembers[] = {
      {.name = "in", .number = 2, .form = GnosticForm::kText},
      {.name = "description", .number = 3, .form = GnosticForm::kText},
      {.name = "name", .number = 4, .form = GnosticForm::kText},
      {.name = "type", .number = 6, .form = GnosticForm::kText},
      {.name = "uniqueItems", .number = 20, .form = GnosticForm::kFlag}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& PathParameter() {
  static constexpr Member kMembers[] = {
      {.name = "required", .number = 1, .form = GnosticForm::kFlag},
      {.name = "in", .number = 2, .form = GnosticForm::kText},
      {.name = "description", .number = 3, .form = GnosticForm::kText},
      {.name = "name", .number = 4, .form = GnosticForm::kText},
      {.name = "type", .number = 5, .form = GnosticForm::kText},
      {.name = "uniqueItems", .number = 19, .form = GnosticForm::kFlag}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

constexpr uint32_t kAroundBody[] = {1, 1};
constexpr uint32_t kAroundQuery[] = {3, 2, 1};
constexpr uint32_t kAroundPath[] = {4, 2, 1};
constexpr Place kPlaces[] = {{.in = "body", .message = BodyParameter, .around = kAroundBody},
                             {.in = "query", .message = QueryParameter, .around = kAroundQuery},
                             {.in = "path", .message = PathParameter, .around = kAroundPath}};

const Message& Response() {
  static constexpr Member kMembers[] = {
      {.name = "description", .number = 1, .form = GnosticForm::kText},
      {.name = "schema",
       .number = 2,
       .form = GnosticForm::kMessage,
       .message = Schema,
       .around = kFirst}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& Operation() {
  static constexpr Member kMembers[] = {
      {.name = "tags", .number = 1, .form = GnosticForm::kTexts},
      {.name = "description", .number = 3, .form = GnosticForm::kText},
      {.name = "operationId", .number = 5, .form = GnosticForm::kText},
      {.name = "produces", .number = 6, .form = GnosticForm::kTexts},
      {.name = "consumes", .number = 7, .form = GnosticForm::kTexts},
      {.name = "parameters", .number = 8, .form = GnosticForm::kParameters, .places = kPlaces},
      {.name = "responses",
       .number = 9,
       .form = GnosticForm::kNamed,
       .message = Response,
       .around = kFirst,
       .around_values = kFirst},
      {.name = "schemes", .number = 10, .form = GnosticForm::kTexts}};
  static constexpr Message kMessage = {.members = kMembers, .extensions = 13};
  return kMessage;
}

const Message& PathItem() {
  static constexpr Member kMembers[] = {
      {.name = "get", .number = 2, .form = GnosticForm::kMessage, .message = Operation},
      {.name = "put", .number = 3, .form = GnosticForm::kMessage, .message = Operation},
      {.name = "post", .number = 4, .form = GnosticForm::kMessage, .message = Operation},
      {.name = "delete", .number = 5, .form = GnosticForm::kMessage, .message = Operation},
      {.name = "patch", .number = 8, .form = GnosticForm::kMessage, .message = Operation},
      {.name = "parameters", .number = 9, .form = GnosticForm::kParameters, .places = kPlaces}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& Info() {
  static constexpr Member kMembers[] = {
      {.name = "title", .number = 1, .form = GnosticForm::kText},
      {.name = "version", .number = 2, .form = GnosticForm::kText}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& Document() {
  static constexpr Member kMembers[] = {
      {.name = "swagger", .number = 1, .form = GnosticForm::kText},
      {.name = "info", .number = 2, .form = GnosticForm::kMessage, .message = Info},
      {.name = "paths",
       .number = 8,
       .form = GnosticForm::kNamed,
       .message = PathItem,
       .around = kSecond},
      {.name = "definitions",
       .number = 9,
       .form = GnosticForm::kNamed,
       .message = Schema,
       .around = kFirst}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

}  // namespace v2

// ------------------------------------------------------------------------------------- version 3

namespace v3 {

const Message& Schema() {
  static constexpr Member kMembers[] = {
      {.name = "uniqueItems", .number = 20, .form = GnosticForm::kFlag},
      {.name = "required", .number = 23, .form = GnosticForm::kTexts},
      {.name = "enum", .number = 24, .form = GnosticForm::kAnys},
      {.name = "type", .number = 25, .form = GnosticForm::kText},
      {.name = "allOf",
       .number = 26,
       .form = GnosticForm::kMessages,
       .or_reference = true,
       .message = Schema},
      {.name = "oneOf",
       .number = 27,
       .form = GnosticForm::kMessages,
       .or_reference = true,
       .message = Schema},
      {.name = "items",
       .number = 30,
       .form = GnosticForm::kMessage,
       .or_reference = true,
       .message = Schema,
       .around = kFirst},
      {.name = "properties",
       .number = 31,
       .form = GnosticForm::kNamed,
       .or_reference = true,
       .message = Schema,
       .around = kFirst},
      {.name = "additionalProperties",
       .number = 32,
       .form = GnosticForm::kMessage,
       .or_reference = true,
       .message = Schema,
       .around = kFirst},
      {.name = "description", .number = 34, .form = GnosticForm::kText},
      {.name = "format", .number = 35, .form = GnosticForm::kText}};
  static constexpr Message kMessage = {.members = kMembers, .extensions = 36};
  return kMessage;
}

const Message& Parameter() {
  static constexpr Member kMembers[] = {
      {.name = "name", .number = 1, .form = GnosticForm::kText},
      {.name = "in", .number = 2, .form = GnosticForm::kText},
      {.name = "description", .number = 3, .form = GnosticForm::kText},
      {.name = "required", .number = 4, .form = GnosticForm::kFlag},
      {.name = "schema",
       .number = 10,
       .form = GnosticForm::kMessage,
       .or_reference = true,
       .message = Schema}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

// The description of a body or an answer in one media type.
const Message& MediaType() {
  static constexpr Member kMembers[] = {{.name = "schema",
                                         .number = 1,
                                         .form = GnosticForm::kMessage,
                                         .or_reference = true,
                                         .message = Schema}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& RequestBody() {
  static constexpr Member kMembers[] = {
      {.name = "content",
       .number = 2,
       .form = GnosticForm::kNamed,
       .message = MediaType,
       .around = kFirst},
      {.name = "required", .number = 3, .form = GnosticForm::kFlag}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& Response() {
  static constexpr Member kMembers[] = {
      {.name = "description", .number = 1, .form = GnosticForm::kText},
      {.name = "content",
       .number = 3,
       .form = GnosticForm::kNamed,
       .message = MediaType,
       .around = kFirst}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& Operation() {
  static constexpr Member kMembers[] = {
      {.name = "tags", .number = 1, .form = GnosticForm::kTexts},
      {.name = "description", .number = 3, .form = GnosticForm::kText},
      {.name = "operationId", .number = 5, .form = GnosticForm::kText},
      {.name = "parameters",
       .number = 6,
       .form = GnosticForm::kMessages,
       .or_reference = true,
       .message = Parameter},
      {.name = "requestBody",
       .number = 7,
       .form = GnosticForm::kMessage,
       .or_reference = true,
       .message = RequestBody},
      {.name = "responses",
       .number = 8,
       .form = GnosticForm::kNamed,
       .or_reference = true,
       .message = Response,
       .around = kSecond}};
  static constexpr Message kMessage = {.members = kMembers, .extensions = 13};
  return kMessage;
}

const Message& PathItem() {
  static constexpr Member kMembers[] = {
      {.name = "get", .number = 4, .form = GnosticForm::kMessage, .message = Operation},
      {.name = "put", .number = 5, .form = GnosticForm::kMessage, .message = Operation},
      {.name = "post", .number = 6, .form = GnosticForm::kMessage, .message = Operation},
      {.name = "delete", .number = 7, .form = GnosticForm::kMessage, .message = Operation},
      {.name = "patch", .number = 10, .form = GnosticForm::kMessage, .message = Operation},
      {.name = "parameters",
       .number = 13,
       .form = GnosticForm::kMessages,
       .or_reference = true,
       .message = Parameter}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& Info() {
  static constexpr Member kMembers[] = {
      {.name = "title", .number = 1, .form = GnosticForm::kText},
      {.name = "version", .number = 6, .form = GnosticForm::kText}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& SecurityScheme() {
  static constexpr Member kMembers[] = {
      {.name = "type", .number = 1, .form = GnosticForm::kText},
      {.name = "description", .number = 2, .form = GnosticForm::kText},
      {.name = "name", .number = 3, .form = GnosticForm::kText},
      {.name = "in", .number = 4, .form = GnosticForm::kText}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& Components() {
  static constexpr Member kMembers[] = {{.name = "schemas",
                                         .number = 1,
                                         .form = GnosticForm::kNamed,
                                         .or_reference = true,
                                         .message = Schema,
                                         .around = kFirst},
                                        {.name = "securitySchemes",
                                         .number = 7,
                                         .form = GnosticForm::kNamed,
                                         .or_reference = true,
                                         .message = SecurityScheme,
                                         .around = kFirst}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& Document() {
  static constexpr Member kMembers[] = {
      {.name = "openapi", .number = 1, .form = GnosticForm::kText},
      {.name = "info", .number = 2, .form = GnosticForm::kMessage, .message = Info},
      {.name = "paths",
       .number = 4,
       .form = GnosticForm::kNamed,
       .message = PathItem,
       .around = kFirst},
      {.name = "components", .number = 5, .form = GnosticForm::kMessage, .message = Components}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

}  // namespace v3

Result<std::string> AsMessage(std::string_view json, const Message& message) {
  DRAY_TRY(const JsonTree document, api::ParseJsonTree(json, kDocumentDepthMax));
  return gnostic::Write(document, message);
}

}  // namespace

Result<std::string> OpenApiV2Protobuf(std::string_view json) {
  return AsMessage(json, v2::Document());
}

Result<std::string> OpenApiV3Protobuf(std::string_view json) {
  return AsMessage(json, v3::Document());
}

}  // namespace dray::server::documents
