// SPDX-License-Identifier: Apache-2.0
#include "server/documents/form.h"

#include "api/codec/protobuf.h"

namespace dray::server::documents {

std::string_view MediaType(Encoding encoding) {
  switch (encoding) {
    case Encoding::kJson: return "application/json";
    case Encoding::kYaml: return "application/yaml";
    case Encoding::kProtobuf: return api::kProtobufMediaType;
  }
  return {};
}

std::string_view StreamMediaType(Encoding encoding) {
  if (encoding == Encoding::kProtobuf) return "application/vnd.kubernetes.protobuf;stream=watch";
  return MediaType(encoding);
}

}  // namespace dray::server::documents
