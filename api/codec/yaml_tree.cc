// SPDX-License-Identifier: Apache-2.0
#include "api/codec/yaml_tree.h"

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <yaml.h>

#include "api/codec/yaml_limits.h"
#include "base/try.h"

namespace dray::api::inline codec {
namespace {

Failure RefuseTree(std::string_view message) {
  return Fail(StatusReason::kBadRequest, fmt::format("yaml: {}", message));
}

std::string_view Text(const unsigned char* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

std::string Text(const unsigned char* text, size_t size) {
  return {reinterpret_cast<const char*>(text), size};
}

struct DeleteEvent {
  void operator()(yaml_event_t* event) const {
    yaml_event_delete(event);
    std::default_delete<yaml_event_t>()(event);
  }
};
using Event = std::unique_ptr<yaml_event_t, DeleteEvent>;

class TreeBuilder {
 public:
  explicit TreeBuilder(std::string_view text) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(
        &parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;
  ~TreeBuilder() { yaml_parser_delete(&parser_); }

  Result<YamlTree> Build() {
    DRAY_TRY(const Event start, Next());
    DRAY_TRY(const Event document, Next());
    if (document->type == YAML_STREAM_END_EVENT) return std::move(tree_);
    while (true) {
      DRAY_TRY(const Event event, Next());
      if (event->type == YAML_DOCUMENT_END_EVENT) return std::move(tree_);
      DRAY_TRY_VOID(Take(*event));
    }
  }

 private:
  Result<Event> Next() {
    Event event(new yaml_event_t{});
    if (yaml_parser_parse(&parser_, event.get()) == 0) return RefuseTree(Problem());
    return event;
  }

  // Go's library names the line of libyaml's mark, which counts from 0, and one more for errors of
  // the scanner.
  std::string Problem() const {
    size_t line = parser_.problem_mark.line;
    if (line != 0 && parser_.error == YAML_SCANNER_ERROR) ++line;
    if (line == 0) line = parser_.context_mark.line;
    const std::string_view problem =
        parser_.problem == nullptr ? "unknown problem parsing YAML content" : parser_.problem;
    return line == 0 ? std::string(problem) : fmt::format("line {}: {}", line, problem);
  }

  Result<> Take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_SCALAR_EVENT: {
        const auto& scalar = event.data.scalar;
        DRAY_TRY(YamlNode* const node, Add(YamlNode::Kind::kScalar, event, Text(scalar.anchor)));
        node->implicit = scalar.plain_implicit != 0;
        node->tag = Text(scalar.tag);
        node->text = Text(scalar.value, scalar.length);
        return {};
      }
      case YAML_ALIAS_EVENT: {
        DRAY_TRY(YamlNode* const node, Add(YamlNode::Kind::kAlias, event, ""));
        node->text = Text(event.data.alias.anchor);
        const auto target = anchors_.find(node->text);
        if (target == anchors_.end()) {
          return RefuseTree(fmt::format("unknown anchor '{}' referenced", node->text));
        }
        node->target = target->second;
        return {};
      }
      case YAML_SEQUENCE_START_EVENT:
        return Open(YamlNode::Kind::kSequence, event, Text(event.data.sequence_start.anchor));
      case YAML_MAPPING_START_EVENT:
        return Open(YamlNode::Kind::kMapping, event, Text(event.data.mapping_start.anchor));
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: open_.pop_back(); return {};
      case YAML_NO_EVENT:
      case YAML_STREAM_START_EVENT:
      case YAML_STREAM_END_EVENT:
      case YAML_DOCUMENT_START_EVENT:
      case YAML_DOCUMENT_END_EVENT: break;
    }
    return RefuseTree("unknown problem parsing YAML content");
  }

  Result<> Open(YamlNode::Kind kind, const yaml_event_t& event, std::string_view anchor) {
    if (open_.size() == kYamlDepthMax) {
      return RefuseTree(fmt::format(
          "line {}: exceeded max depth of {}", event.start_mark.line + 1, kYamlDepthMax));
    }
    DRAY_TRY(YamlNode* const node, Add(kind, event, anchor));
    open_.push_back(node);
    return {};
  }

  Result<YamlNode*> Add(YamlNode::Kind kind, const yaml_event_t& event, std::string_view anchor) {
    if (tree_.nodes.size() == kYamlNodesMax) {
      return RefuseTree(fmt::format("document contains more than {} values", kYamlNodesMax));
    }
    YamlNode* const node = &tree_.nodes.emplace_back(YamlNode{.kind = kind});
    node->line = event.start_mark.line + 1;
    if (open_.empty()) {
      tree_.root = node;
    } else {
      open_.back()->children.push_back(node);
    }
    if (!anchor.empty()) anchors_.insert_or_assign(std::string(anchor), node);
    return node;
  }

  yaml_parser_t parser_{};
  YamlTree tree_;
  std::vector<YamlNode*> open_;
  std::map<std::string, const YamlNode*, std::less<>> anchors_;
};

}  // namespace

Result<YamlTree> ReadYamlTree(std::string_view text) {
  if (text.size() > kYamlTextMax)
    return RefuseTree(fmt::format("text is longer than {} bytes", kYamlTextMax));
  return TreeBuilder(text).Build();
}

}  // namespace dray::api::inline codec
