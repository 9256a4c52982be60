// SPDX-License-Identifier: Apache-2.0
#include "cel/library/addresses.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "base/text/ascii.h"
#include "cel/library/builtin.h"
#include "cel/library/go_numbers.h"
#include "cel/library/tables.h"
#include "cel/value/arena.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;

constexpr size_t kV6Bytes = 16;

// An address as netip knows it: with zones and mapped addresses.
struct AnyAddress {
  IpAddress address;
  bool has_zone = false;

  bool is_mapped() const {
    const auto& bytes = address.bytes;
    return !address.is_v4 &&
           std::all_of(bytes.begin(), bytes.begin() + 10, [](uint8_t b) { return b == 0; }) &&
           bytes[10] == 0xff && bytes[11] == 0xff;
  }
};

// Reads one address. The first failure is what netip reports: what is wrong and from where on.
class AddressReader {
 public:
  explicit AddressReader(std::string_view text) : text_(text) {}

  Result<AnyAddress> Read() {
    AnyAddress out;
    const size_t mark = text_.find_first_of(".:%");
    if (mark == std::string_view::npos) {
      Stop("unable to parse IP");
    } else if (text_[mark] == '%') {
      Stop("missing IPv6 address");
    } else if (text_[mark] == '.') {
      out.address.is_v4 = true;
      ReadV4(text_, std::span(out.address.bytes).first<4>());
    } else {
      ReadV6(out);
    }
    if (problem_.has_value()) return Fail(StatusReason::kInvalid, *std::move(problem_));
    return out;
  }

 private:
  bool Stop(std::string_view message, std::string_view at = {}) {
    problem_ = fmt::format("ParseAddr({}): {}", api::GoQuote(text_), message);
    if (!at.empty()) *problem_ += fmt::format(" (at {})", api::GoQuote(at));
    return false;
  }

  bool ReadV4(std::string_view text, std::span<uint8_t, 4> fields) {
    int value = 0;
    int digits = 0;
    size_t field = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c >= '0' && c <= '9') {
        if (digits == 1 && value == 0) return Stop("IPv4 field has octet with leading zero");
        value = value * 10 + (c - '0');
        ++digits;
        if (value > 255) return Stop("IPv4 field has value >255");
        continue;
      }
      if (c != '.') return Stop("unexpected character", text.substr(i));
      if (i == 0 || i + 1 == text.size() || text[i - 1] == '.') {
        return Stop("IPv4 field must have at least one digit", text.substr(i));
      }
      if (field == 3) return Stop("IPv4 address too long");
      fields[field++] = static_cast<uint8_t>(value);
      value = 0;
      digits = 0;
    }
    if (field < 3) return Stop("IPv4 address too short");
    fields[3] = static_cast<uint8_t>(value);
    return true;
  }

  // Reads up to four hexadecimal digits at the start of rest_ and stores them; `width` tells how
  // many there were.
  bool ReadGroup(uint32_t& value, size_t& width) {
    value = 0;
    for (width = 0; width < rest_.size() && HexValueAscii(rest_[width]) >= 0; ++width) {
      value = value * 16 + static_cast<uint32_t>(HexValueAscii(rest_[width]));
      if (width > 3) return Stop("each group must have 4 or less digits", rest_);
    }
    if (width == 0) return Stop("each colon-separated field must have at least one digit", rest_);
    return true;
  }

  bool ReadEmbeddedV4(IpAddress& out) {
    if (!gap_.has_value() && filled_ != kV6Bytes - 4) {
      return Stop("embedded IPv4 address must replace the final 2 fields of the address", rest_);
    }
    if (filled_ + 4 > kV6Bytes) {
      return Stop("too many hex fields to fit an embedded IPv4 at the end of the address", rest_);
    }
    if (!ReadV4(rest_, std::span(out.bytes).subspan(filled_).first<4>())) return false;
    rest_ = {};
    filled_ += 4;
    return true;
  }

  // The colons after a group; false if they are wrong.
  bool SkipColons() {
    if (rest_[0] != ':') return Stop("unexpected character, want colon", rest_);
    if (rest_.size() == 1) return Stop("colon must be followed by more characters", rest_);
    rest_.remove_prefix(1);
    if (rest_[0] != ':') return true;
    if (gap_.has_value()) return Stop("multiple :: in address", rest_);
    gap_ = filled_;
    rest_.remove_prefix(1);
    return true;
  }

  bool ReadGroups(IpAddress& out) {
    while (filled_ < kV6Bytes) {
      uint32_t value = 0;
      size_t width = 0;
      if (!ReadGroup(value, width)) return false;
      if (width < rest_.size() && rest_[width] == '.') return ReadEmbeddedV4(out);
      out.bytes[filled_] = static_cast<uint8_t>(value >> 8);
      out.bytes[filled_ + 1] = static_cast<uint8_t>(value);
      filled_ += 2;
      rest_.remove_prefix(width);
      if (rest_.empty()) return true;
      if (!SkipColons()) return false;
      if (rest_.empty()) return true;
    }
    return true;
  }

  bool ReadV6(AnyAddress& out) {
    const size_t zone = text_.find('%');
    rest_ = text_.substr(0, zone);
    out.has_zone = zone != std::string_view::npos;
    if (out.has_zone && zone + 1 == text_.size()) return Stop("zone must be a non-empty string");
    if (rest_.starts_with("::")) {
      gap_ = 0;
      rest_.remove_prefix(2);
      if (rest_.empty()) return true;
    }
    if (!ReadGroups(out.address)) return false;
    if (!rest_.empty()) return Stop("trailing garbage after address", rest_);
    if (filled_ == kV6Bytes) {
      return !gap_.has_value() || Stop("the :: must expand to at least one field of zeros");
    }
    if (!gap_.has_value()) return Stop("address string too short");
    // Move what follows the gap to the end.
    auto& bytes = out.address.bytes;
    const auto gap = bytes.begin() + static_cast<ptrdiff_t>(*gap_);
    const auto end = bytes.begin() + static_cast<ptrdiff_t>(filled_);
    std::fill(gap, std::move_backward(gap, end, bytes.end()), uint8_t{0});
    return true;
  }

  std::string_view text_;
  std::string_view rest_;
  size_t filled_ = 0;
  std::optional<size_t> gap_;  // bytes before the "::"
  std::optional<std::string> problem_;
};

Failure Mapped(std::string_view text) {
  return Fail(StatusReason::kInvalid,
              fmt::format("IPv4-mapped IPv6 address {} is not allowed", api::GoQuote(text)));
}

Result<IpPrefix> ReadPrefix(std::string_view text) {
  const auto refuse = [&](std::string_view message) {
    return Fail(StatusReason::kInvalid,
                fmt::format("netip.ParsePrefix({}): {}", api::GoQuote(text), message));
  };
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return refuse("no '/'");
  const auto address = AddressReader(text.substr(0, slash)).Read();
  if (!address.has_value()) return refuse(address.error().message);
  if (address->has_zone) return refuse("IPv6 zones cannot be present in a prefix");
  const std::string_view digits = text.substr(slash + 1);
  const bool starts_badly = digits.size() > 1 && (digits[0] < '1' || digits[0] > '9');
  const auto bits = Atoi(digits);
  if (starts_badly || !bits.has_value()) {
    return refuse(fmt::format("bad bits after slash: {}", api::GoQuote(digits)));
  }
  if (*bits < 0 || *bits > int64_t{address->address.size()} * 8) {
    return refuse("prefix length out of range");
  }
  return IpPrefix{.address = address->address, .bits = static_cast<int>(*bits)};
}

bool IsLoopback(const IpAddress& address) {
  if (address.is_v4) return address.bytes[0] == 127;
  IpAddress loopback;
  loopback.bytes[kV6Bytes - 1] = 1;
  return address == loopback;
}

bool IsUnspecified(const IpAddress& address) {
  return address == IpAddress{.is_v4 = address.is_v4};
}

bool IsLinkLocalUnicast(const IpAddress& address) {
  const auto& bytes = address.bytes;
  if (address.is_v4) return bytes[0] == 169 && bytes[1] == 254;
  return bytes[0] == 0xfe && (bytes[1] & 0xc0u) == 0x80;
}

bool IsLinkLocalMulticast(const IpAddress& address) {
  const auto& bytes = address.bytes;
  if (address.is_v4) return bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0;
  return bytes[0] == 0xff && (bytes[1] & 0x0fu) == 0x02;
}

bool IsMulticast(const IpAddress& address) {
  return address.is_v4 ? (address.bytes[0] & 0xf0u) == 0xe0 : address.bytes[0] == 0xff;
}

// Private addresses count as global, as everywhere in Go.
bool IsGlobalUnicast(const IpAddress& address) {
  constexpr IpAddress kBroadcast = {.bytes = {255, 255, 255, 255}, .is_v4 = true};
  return address != kBroadcast && !IsUnspecified(address) && !IsLoopback(address) &&
         !IsMulticast(address) && !IsLinkLocalUnicast(address);
}

template <bool (*holds)(const IpAddress&)>
Value Is(Arena& /*arena*/, Arguments arguments) {
  return Value::Bool(holds(arguments[0].ip()));
}

// Addresses are short, but the error for an invalid text contains the whole text several times.
void ChargeAddress(Arena& arena, std::string_view text) {
  arena.work().Charge(WorkOfReading(32 + 16 * text.size()));
}

Value Ip(Arena& arena, Arguments arguments) {
  ChargeAddress(arena, arguments[0].text());
  const auto address = ParseAddress(arguments[0].text());
  if (!address.has_value()) return MakeError(arena, address.error().message);
  return Value::Ip(arena.Keep(*address));
}

Value IpOf(Arena& /*arena*/, Arguments arguments) {
  return Value::Ip(&arguments[0].cidr().address);
}

Value IsIp(Arena& arena, Arguments arguments) {
  ChargeAddress(arena, arguments[0].text());
  return Value::Bool(ParseAddress(arguments[0].text()).has_value());
}

Value IsCanonical(Arena& arena, Arguments arguments) {
  ChargeAddress(arena, arguments[0].text());
  const auto address = ParseAddress(arguments[0].text());
  if (!address.has_value()) return MakeError(arena, address.error().message);
  return Value::Bool(AddressText(*address) == arguments[0].text());
}

Value Family(Arena& /*arena*/, Arguments arguments) {
  return Value::Int(arguments[0].ip().is_v4 ? 4 : 6);
}

Value Cidr(Arena& arena, Arguments arguments) {
  ChargeAddress(arena, arguments[0].text());
  const auto prefix = ParsePrefix(arguments[0].text());
  if (!prefix.has_value()) {
    return MakeError(arena,
                     fmt::format("network address parse error during conversion from string: {}",
                                 prefix.error().message));
  }
  return Value::Cidr(arena.Keep(*prefix));
}

Value IsCidr(Arena& arena, Arguments arguments) {
  ChargeAddress(arena, arguments[0].text());
  return Value::Bool(ParsePrefix(arguments[0].text()).has_value());
}

// A text that is not an address gives the error for a wrong type, because upstream uses the error
// value as if it were the address.
Value ContainsIp(Arena& arena, Arguments arguments) {
  const IpPrefix& prefix = arguments[0].cidr();
  if (arguments[1].is(ValueKind::kIp)) {
    return Value::Bool(SharePrefix(prefix.address, arguments[1].ip(), prefix.bits));
  }
  ChargeAddress(arena, arguments[1].text());
  const auto address = ParseAddress(arguments[1].text());
  if (!address.has_value()) return NoSuchOverload();
  return Value::Bool(SharePrefix(prefix.address, *address, prefix.bits));
}

bool Covers(const IpPrefix& outer, const IpPrefix& inner) {
  return outer.bits <= inner.bits && SharePrefix(outer.address, inner.address, outer.bits);
}

// Here the error about the text is returned, because upstream checks in the other order.
Value ContainsCidr(Arena& arena, Arguments arguments) {
  if (arguments[1].is(ValueKind::kCidr)) {
    return Value::Bool(Covers(arguments[0].cidr(), arguments[1].cidr()));
  }
  const Value other = Cidr(arena, arguments.subspan(1));
  if (other.is_error()) return other;
  return Value::Bool(Covers(arguments[0].cidr(), other.cidr()));
}

Value Masked(Arena& arena, Arguments arguments) {
  IpPrefix prefix = arguments[0].cidr();
  for (int i = 0; i < prefix.address.size(); ++i) {
    const int kept = std::clamp(prefix.bits - 8 * i, 0, 8);
    prefix.address.bytes[static_cast<size_t>(i)] &= static_cast<uint8_t>(0xff00u >> kept);
  }
  return Value::Cidr(arena.Keep(prefix));
}

Value PrefixLength(Arena& /*arena*/, Arguments arguments) {
  return Value::Int(arguments[0].cidr().bits);
}

constexpr auto kAddressesBuiltins = std::to_array<Builtin>({
    {"cidr", Cidr, CostRule::kTenth, kSignature, {}, kSince32},
    {"containsCIDR", ContainsCidr, CostRule::kContainsPrefix, kSignature, {}, kSince32},
    {"containsCIDR(string)", ContainsCidr, CostRule::kContainsPrefixText, kSignature, {}, kSince32},
    {"containsIP", ContainsIp, CostRule::kContainsAddress, kSignature, {}, kSince32},
    {"containsIP(string)", ContainsIp, CostRule::kContainsAddressText, kSignature, {}, kSince32},
    {"family", Family},
    {"ip", Ip, CostRule::kTenth, kSignature, {}, kSince32},
    {"ip(net.CIDR)", IpOf},
    {"ip.isCanonical", IsCanonical, CostRule::kFifth, kSignature, {}, kSince32},
    {"isCIDR", IsCidr, CostRule::kTenth, kSignature, {}, kSince32},
    {"isGlobalUnicast", Is<IsGlobalUnicast>},
    {"isIP", IsIp, CostRule::kTenth, kSignature, {}, kSince32},
    {"isLinkLocalMulticast", Is<IsLinkLocalMulticast>},
    {"isLinkLocalUnicast", Is<IsLinkLocalUnicast>},
    {"isLoopback", Is<IsLoopback>},
    {"isUnspecified", Is<IsUnspecified>},
    {"masked", Masked},
    {"prefixLength", PrefixLength},
});

}  // namespace

bool IsAddressText(std::string_view text) {
  const Result<AnyAddress> address = AddressReader(text).Read();
  return address && !address->has_zone;
}

Result<IpAddress> ParseAddress(std::string_view text) {
  const auto any = AddressReader(text).Read();
  if (!any.has_value()) {
    return Fail(StatusReason::kInvalid,
                fmt::format("IP Address {} parse error during conversion from string: {}",
                            api::GoQuote(text),
                            any.error().message));
  }
  if (any->has_zone) {
    return Fail(StatusReason::kInvalid,
                fmt::format("IP address {} with zone value is not allowed", api::GoQuote(text)));
  }
  if (any->is_mapped()) return Mapped(text);
  return any->address;
}

Result<IpPrefix> ParsePrefix(std::string_view text) {
  const auto prefix = ReadPrefix(text);
  if (!prefix.has_value()) {
    return Fail(StatusReason::kInvalid,
                fmt::format("network address parse error during conversion from string: {}",
                            prefix.error().message));
  }
  if (AnyAddress{.address = prefix->address}.is_mapped()) return Mapped(text);
  return *prefix;
}

Result<> CheckIpLiteral(std::string_view text) {
  const auto any = AddressReader(text).Read();
  if (!any.has_value()) {
    return Fail(StatusReason::kInvalid, fmt::format("invalid host: {}", any.error().message));
  }
  if (any->address.is_v4) return Fail(StatusReason::kInvalid, "invalid IP-literal");
  return {};
}

std::string AddressText(const IpAddress& address) {
  const auto& bytes = address.bytes;
  if (address.is_v4) return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
  const auto group = [&](size_t i) { return bytes[2 * i] * 256 + bytes[2 * i + 1]; };
  // The longest run of at least two zero groups becomes "::", the first of equal ones.
  size_t gap = 8;
  size_t gap_size = 1;
  for (size_t i = 0; i < 8; ++i) {
    size_t end = i;
    while (end < 8 && group(end) == 0) ++end;
    if (end - i > gap_size) {
      gap = i;
      gap_size = end - i;
    }
  }
  std::string out;
  for (size_t i = 0; i < 8; ++i) {
    if (i == gap) {
      out += "::";
      i += gap_size - 1;
      continue;
    }
    if (!out.empty() && !out.ends_with(':')) out += ':';
    out += fmt::format("{:x}", group(i));
  }
  return out;
}

std::string PrefixText(const IpPrefix& prefix) {
  return fmt::format("{}/{}", AddressText(prefix.address), prefix.bits);
}

bool SharePrefix(const IpAddress& a, const IpAddress& b, int bits) {
  if (a.is_v4 != b.is_v4) return false;
  for (size_t i = 0; bits > 0; ++i, bits -= 8) {
    const auto mask = static_cast<uint8_t>(bits >= 8 ? 0xffu : 0xff00u >> bits);
    if (((a.bytes[i] ^ b.bytes[i]) & mask) != 0) return false;
  }
  return true;
}

std::span<const Builtin> AddressBuiltins() {
  return kAddressesBuiltins;
}

}  // namespace dray::cel::library
