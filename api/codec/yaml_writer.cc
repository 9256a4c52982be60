// SPDX-License-Identifier: Apache-2.0
// Writing leaves layout and the choice between quotes to libyaml's emitter, of which Go's is a
// port; only which strings must not be plain is decided here.
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <yaml.h>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/codec/yaml.h"
#include "api/codec/yaml_scalar.h"

namespace dray::api::inline codec {
namespace {

// The emitter's output, up to a limit, because indentation can make a small value large.
struct YamlOutput {
  std::string text;
  size_t size_max;
  bool too_long = false;
};

int Append(void* data, unsigned char* bytes, size_t size) {
  auto& out = *static_cast<YamlOutput*>(data);
  out.too_long = out.too_long || out.text.size() + size > out.size_max;
  if (out.too_long) return 0;
  out.text.append(reinterpret_cast<const char*>(bytes), size);
  return 1;
}

class Writer {
 public:
  explicit Writer(std::string_view json)
      : reader_(json), out_{.size_max = kIndentedMin + kIndentedPerByte * json.size()} {
    yaml_emitter_initialize(&emitter_);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_output(&emitter_, Append, &out_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { yaml_emitter_delete(&emitter_); }

  Result<std::string> Write() {
    yaml_event_t event{};
    Emit(event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
    Emit(event, yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1));
    Value(0);
    if (too_deep_) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("yaml: exceeded max depth of {}", kYamlDepthMax));
    }
    if (out_.too_long) return TooLong();
    if (!reader_.Finish() || reader_.failed()) return Fail(reader_.error());
    Emit(event, yaml_document_end_event_initialize(&event, 1));
    emitter_.open_ended = 0;  // no "..." behind a text that ends with line breaks: Go writes none
    Emit(event, yaml_stream_end_event_initialize(&event));
    yaml_emitter_flush(&emitter_);
    if (out_.too_long) return TooLong();
    if (emitter_.error != YAML_NO_ERROR) {
      return Fail(StatusReason::kInternalError, fmt::format("yaml: {}", emitter_.problem));
    }
    return std::move(out_.text);
  }

 private:
  static Failure TooLong() {
    return Fail(StatusReason::kBadRequest, "yaml: the text becomes too long by its indentation");
  }
  bool is_stopped() const { return too_deep_ || out_.too_long; }

  void Emit(yaml_event_t& event, int initialized) {
    if (initialized == 0) return;
    if (is_stopped()) {
      yaml_event_delete(&event);
    } else {
      yaml_emitter_emit(&emitter_, &event);
    }
  }

  void Value(size_t depth) {
    if (depth > kYamlDepthMax) {
      too_deep_ = true;
      return;
    }
    switch (reader_.Peek()) {
      case JsonKind::kNull:
        reader_.Null();
        Scalar("null", YAML_PLAIN_SCALAR_STYLE);
        return;
      case JsonKind::kBool:
        Scalar(reader_.Bool() ? "true" : "false", YAML_PLAIN_SCALAR_STYLE);
        return;
      case JsonKind::kNumber: Number(); return;
      case JsonKind::kString: {
        std::string text;
        reader_.String(text);
        String(text);
        return;
      }
      case JsonKind::kArray: Array(depth); return;
      case JsonKind::kObject: Object(depth); return;
      case JsonKind::kInvalid: reader_.Skip(); return;
    }
  }

  void Array(size_t depth) {
    yaml_event_t event{};
    Emit(event,
         yaml_sequence_start_event_initialize(
             &event, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE));
    reader_.EnterArray();
    while (!is_stopped() && reader_.NextElement()) Value(depth + 1);
    Emit(event, yaml_sequence_end_event_initialize(&event));
  }

  void Object(size_t depth) {
    yaml_event_t event{};
    Emit(
        event,
        yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE));
    reader_.EnterObject();
    std::string key;
    while (!is_stopped() && reader_.NextKey(key)) {
      String(key);
      Value(depth + 1);
    }
    Emit(event, yaml_mapping_end_event_initialize(&event));
  }

  // Integers of 64 bits stay unchanged; other numbers are converted to double.
  void Number() {
    const Result<YamlScalar> value = ResolveYamlScalar("", reader_.Number());
    if (!value) return;
    if (const int64_t* integer = std::get_if<int64_t>(&*value)) {
      Scalar(std::to_string(*integer), YAML_PLAIN_SCALAR_STYLE);
    } else if (const uint64_t* large = std::get_if<uint64_t>(&*value)) {
      Scalar(std::to_string(*large), YAML_PLAIN_SCALAR_STYLE);
    } else if (const double* number = std::get_if<double>(&*value)) {
      Scalar(FormatGoDouble(*number), YAML_PLAIN_SCALAR_STYLE);
    } else if (const std::string* text = std::get_if<std::string>(&*value)) {
      String(*text);  // beyond a double: upstream keeps the text
    }
  }

  void String(std::string_view text) {
    if (text.contains('\n')) return Scalar(text, YAML_LITERAL_SCALAR_STYLE);
    Scalar(text, IsPlainYamlText(text) ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  }

  void Scalar(std::string_view text, yaml_scalar_style_t style) {
    yaml_event_t event{};
    Emit(event,
         yaml_scalar_event_initialize(&event,
                                      nullptr,
                                      nullptr,
                                      reinterpret_cast<const unsigned char*>(text.data()),
                                      static_cast<int>(text.size()),
                                      1,
                                      1,
                                      style));
  }

  JsonReader reader_;
  yaml_emitter_t emitter_{};
  YamlOutput out_;
  bool too_deep_ = false;
};

}  // namespace

Result<std::string> JsonToYaml(std::string_view json) {
  if (json.size() > kYamlJsonMax) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("yaml: text is longer than {} bytes", kYamlJsonMax));
  }
  return Writer(json).Write();
}

}  // namespace dray::api::inline codec
