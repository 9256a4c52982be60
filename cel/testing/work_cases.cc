// SPDX-License-Identifier: Apache-2.0
#include "cel/testing/work_cases.h"

#include <array>

#include <fmt/format.h>

#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"
#include "cel/value/arena.h"

namespace dray::cel::testing {
namespace {

#define DRAY_S "device.driver"
#define DRAY_U "device.attributes['d'].letters"
#define DRAY_D "device.attributes['d'].digits"
#define DRAY_I "device.attributes['d'].ints"
#define DRAY_T "device.attributes['d'].texts"
// Done for each of the ints, i.
#define DRAY_EACH(what) DRAY_I ".all(i, " what ")"

constexpr auto kCases = std::to_array<WorkCase>({
    // Functions of one long argument.
    {"size of ASCII", "size(" DRAY_S ") > 0"},
    {"size of letters", "size(" DRAY_U ") > 0"},
    {"text == text", DRAY_S " == " DRAY_S},
    {"text < text", DRAY_S " < " DRAY_S},
    {"text + text", DRAY_S " + " DRAY_S " != ''"},
    {"list + list", "(" DRAY_I " + " DRAY_I ").size() > 0"},
    {"list == list", DRAY_I " == " DRAY_I},
    {"texts == texts", DRAY_T " == " DRAY_T},
    {"nested == nested", "[" DRAY_T ", " DRAY_T "] == [" DRAY_T ", " DRAY_T "]"},
    {"in list", "-1 in " DRAY_I},
    {"text in list", "'none' in " DRAY_T},
    {"in map",
     "cel.bind(m, " DRAY_T ".transformMap(i, t, i), " DRAY_I ".all(i, i in m || i == -9))"},
    {"contains",
     DRAY_S ".contains('"
            "xxxxxxxxxxxxxxxxy"
            "')"},
    {"contains half", DRAY_S ".contains(" DRAY_S ".substring(9) + 'y')"},
    {"startsWith", DRAY_S ".startsWith(" DRAY_S ")"},
    {"endsWith", DRAY_S ".endsWith(" DRAY_S ")"},
    {"charAt", DRAY_U ".charAt(3) != ''"},
    {"substring", DRAY_U ".substring(3, 9) != ''"},
    {"indexOf", DRAY_S ".indexOf('xxxxxxxxxxxxxxxxxxxxy') < 0"},
    {"indexOf half", DRAY_S ".indexOf(" DRAY_S ".substring(9) + 'y') < 0"},
    {"lastIndexOf", DRAY_S ".lastIndexOf('xxxxxxxxxxxxxxxxxxxxy') < 0"},
    {"lastIndexOf half", DRAY_S ".lastIndexOf(" DRAY_S ".substring(9) + 'y') < 0"},
    {"lowerAscii", DRAY_S ".lowerAscii() != ''"},
    {"upperAscii", DRAY_S ".upperAscii() != ''"},
    {"replace", DRAY_S ".replace('x', 'y') != ''", 4},
    {"split", DRAY_S ".split('x').size() > 0", 8},
    {"split to letters", DRAY_S ".split('').size() > 0", 8},
    {"join", DRAY_T ".join(',') != ''"},
    {"trim", DRAY_S ".trim() != ''"},
    {"strings.quote", "strings.quote(" DRAY_S ") != ''", 2},
    {"format %s", "'%s'.format([" DRAY_T "]) != ''", 4},
    {"format %x", "'%x'.format([" DRAY_S "]) != ''", 4},
    {"matches", DRAY_S ".matches('^x*$')"},
    {"find", DRAY_S ".find('y') == ''"},
    {"findAll", DRAY_S ".findAll('x').size() > 0", 64},
    {"bytes == bytes", "bytes(" DRAY_U ") == bytes(" DRAY_U ")"},
    {"string of bytes", "string(bytes(" DRAY_U ")) != ''"},
    {"int of text", "int(" DRAY_D ") > 0 || true"},
    {"double of text", "double(" DRAY_D ") > 0.0 || true"},
    {"duration of text", "duration(" DRAY_D ") > duration('1s') || true"},
    {"timestamp of text", "timestamp('2020-01-01T00:00:00.' + " DRAY_D " + 'Z') > timestamp(0)"},
    {"isQuantity", "isQuantity(" DRAY_D ") || true", 512},
    {"isSemver", "isSemver('1.2.3-' + " DRAY_S ")"},
    {"semver == semver",
     "cel.bind(v, semver('1.2.3-' + " DRAY_S "), [1,1,1,1,1,1,1,1].all(x, v.compareTo(v) == 0))"},
    {"isIP", "isIP(" DRAY_S ") || true"},
    {"ip", "ip(" DRAY_S ").family() == 4 || true"},
    {"isCIDR", "isCIDR(" DRAY_S ") || true"},
    {"isURL", "isURL('https://' + " DRAY_S ") || true"},
    {"url", "url('https://h/' + " DRAY_S ").getHost() != ''"},
    {"url of escapes", "url('https://h/' + " DRAY_U ").getHost() != ''"},
    {"getQuery", "url('https://h/?a=' + " DRAY_S ").getQuery().size() > 0"},
    {"validate", "format.dns1123Label().validate(" DRAY_S ").hasValue()"},
    {"validate URI", "format.uri().validate('https://' + " DRAY_S ").hasValue() || true"},
    {"validate bytes", "format.byte().validate(" DRAY_S ").hasValue() || true"},
    {"isSorted", DRAY_I ".isSorted()"},
    {"isSorted of texts", DRAY_T ".isSorted() || true"},
    {"min", DRAY_I ".min() < 1"},
    {"max of texts", DRAY_T ".max() != ''"},
    {"sum", DRAY_I ".sum() > 0"},
    {"indexOf in list", DRAY_I ".indexOf(-1) < 0"},
    {"lastIndexOf in list", DRAY_T ".lastIndexOf('none') < 0"},
    {"slice", DRAY_I ".slice(0, " DRAY_I ".size() - 1).size() > 0"},
    {"reverse", DRAY_I ".reverse().size() > 0"},
    {"distinct", DRAY_I ".distinct().size() > 0", 64},
    {"sort", DRAY_I ".sort().size() > 0", 64},
    {"sort of texts", DRAY_T ".sort().size() > 0", 64},
    {"sortBy", DRAY_I ".sortBy(i, -i).size() > 0", 64},
    {"flatten", "[" DRAY_I ", " DRAY_I "].flatten().size() > 0"},
    {"lists.range", "lists.range(size(" DRAY_S ")).size() > 0"},
    {"sets.contains", "sets.contains(" DRAY_I ", [-1])"},
    {"sets.intersects", "sets.intersects(" DRAY_I ", [-1])"},
    {"sets.equivalent", "sets.equivalent(" DRAY_I ", " DRAY_I ")", 64},
    {"includes", DRAY_I ".includes(-1)"},
    {"optional.unwrap", "optional.unwrap(" DRAY_I ".map(i, optional.of(i))).size() > 0"},
    {"ListValue", "google.protobuf.ListValue{values: " DRAY_I "} != []"},
    {"map", DRAY_I ".map(i, i).size() > 0"},
    {"filter", DRAY_I ".filter(i, true).size() > 0"},
    {"transformMap", DRAY_I ".transformMap(k, v, v).size() > 0"},
    {"transformMap from the end", DRAY_I ".transformMapEntry(k, v, {-v: v}).size() > 0", 16},
    {"map literal", "{" DRAY_S ": 1, " DRAY_S " + 'a': 2}.size() == 2"},
    // For each of many small ones.
    {"each: i >= 0", DRAY_EACH("i >= 0")},
    {"each: arithmetic", DRAY_EACH("(i + 1) * 2 - i / 3 >= -i % 7")},
    {"each: && and ||", DRAY_EACH("(i < 0 || i > 5 || i >= 0) && (true && i >= 0)")},
    {"each: ?:", DRAY_EACH("i > 5 ? true : i >= 0")},
    {"each: path", DRAY_EACH("device.attributes['d'].digits != '' || i < 0")},
    {"each: list", DRAY_EACH("[i, i, i, i].size() == 4")},
    {"each: map", DRAY_EACH("{'a': i, 'b': i}['b'] == i")},
    {"each: string(int)", DRAY_EACH("string(i) != ''")},
    {"each: string(double)", DRAY_EACH("string(double(i)) != ''")},
    {"each: quantity", DRAY_EACH("quantity(string(i) + 'Mi').compareTo(quantity('1Mi')) >= -1")},
    {"each: quantity add", DRAY_EACH("sign(quantity('1Mi').add(i)) >= -1")},
    {"each: semver", DRAY_EACH("semver('1.' + string(i) + '.0').minor() >= 0")},
    {"each: timestamp", DRAY_EACH("timestamp(i).getFullYear() >= 1970")},
    {"each: timestamp text", DRAY_EACH("string(timestamp(i)) != ''")},
    {"each: duration", DRAY_EACH("duration(string(i) + 's').getSeconds() >= 0")},
    {"each: ip", DRAY_EACH("ip('10.0.0.' + string(i % 256)).family() == 4")},
    {"each: cidr", DRAY_EACH("cidr('10.0.0.0/8').containsIP('10.0.0.' + string(i % 256))")},
    {"each: url", DRAY_EACH("url('https://h/' + string(i)).getHost() == 'h'")},
    {"each: optional", DRAY_EACH("optional.of(i).orValue(0) >= 0")},
    {"each: format", DRAY_EACH("'%d and %s'.format([i, 'x']) != ''")},
    {"each: format %f", DRAY_EACH("'%.2f'.format([double(i)]) != ''")},
    {"each: matches", DRAY_EACH("('gpu-' + string(i)).matches('^gpu-[0-9]+$')")},
    {"each: split", DRAY_EACH("('a,' + string(i)).split(',').size() == 2")},
    {"each: replace", DRAY_EACH("('a,' + string(i)).replace(',', ';') != ''")},
    {"each: error", DRAY_EACH("i / 0 == 1 || true")},
    {"each: bind", DRAY_EACH("cel.bind(x, i + 1, x > i)")},
    {"each: named format",
     DRAY_EACH("!format.dns1123Label().validate('a' + string(i)).hasValue()")},
});

#undef DRAY_S
#undef DRAY_U
#undef DRAY_D
#undef DRAY_I
#undef DRAY_T
#undef DRAY_EACH

}  // namespace

std::span<const WorkCase> WorkCases() {
  return kCases;
}

SizedDevice::SizedDevice(size_t size) : text_(size, 'x'), digits_(size, '7') {
  for (size_t i = 0; i < size / 2; ++i) letters_ += "\u00e9";
  const size_t elements = size / 16;
  for (size_t i = 0; i < elements; ++i) {
    ints_.push_back(static_cast<int64_t>(i));
    texts_.push_back(fmt::format("text-{:03}", i % 1000));
  }
  const Device device{.driver = text_,
                      .attributes = {{"d/letters", std::string_view(letters_)},
                                     {"d/digits", std::string_view(digits_)},
                                     {"d/ints", std::span<const int64_t>(ints_)},
                                     {"d/texts", std::span<const std::string>(texts_)}}};
  activation_ = std::make_unique<DeviceActivation>(device);
}

std::string Evaluate(const eval::Program& program, const SizedDevice& device, Work& work) {
  Arena arena(work);
  eval::Meter meter(UINT64_MAX - 1);
  const Environment& environment = program.environment();
  const Value value =
      eval::Evaluate(program, {&device.activation().value(environment), 1}, arena, meter);
  if (value.is_error()) return std::string(value.text());
  if (!value.is(ValueKind::kBool)) return "value";
  return value.is_true() ? "true" : "false";
}

}  // namespace dray::cel::testing
