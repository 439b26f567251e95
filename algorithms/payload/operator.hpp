// What a reduction does with two values of one index. The same bits on all ranks, whichever rank holds which
// value: min and max are those of IEEE 754-2019 (minimum, maximum), and every NaN that min, max and product
// return is one and the same.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace sparsewire {

// The types of values: those of the language, and those of payload/half.hpp.
template <class T>
inline constexpr bool kIsValue = std::floating_point<T>;

// An operator over floating-point values T:
//   kName          what users call it
//   kCode          what tells it apart on the wire
//   identity<T>()  combined with a value gives the value. It fills dense ranges, so an element that equals it
//                  is not part of a result
//   prepared(v)    v in the form in which the operator's values travel; what users bring in is prepared once
//   combined(a, b) associative and commutative up to rounding (and, for the sum, up to the bits of NaNs)
template <class Op, class T>
concept ReductionOperator = kIsValue<T> && requires(T value) {
  { Op::kName } -> std::convertible_to<std::string_view>;
  { Op::kCode } -> std::convertible_to<std::uint16_t>;
  { Op::template identity<T>() } -> std::same_as<T>;
  { Op::prepared(value) } -> std::same_as<T>;
  { Op::combined(value, value) } -> std::same_as<T>;
};

template <class T>
using FloatBits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

template <class T>
FloatBits<T> float_bits(T value) {
  return std::bit_cast<FloatBits<T>>(value);
}

// `value`, and one and the same NaN for all NaNs.
template <class T>
T with_one_nan(T value) {
  return value == value ? value : std::numeric_limits<T>::quiet_NaN();
}

// NaN with anything is NaN. Which of two NaNs survives is up to the processor, but it is the same on all
// ranks.
struct Plus {
  static constexpr std::string_view kName = "sum";
  static constexpr std::uint16_t kCode = 0;
  template <class T>
  static constexpr T identity() {
    return T{0};
  }
  template <class T>
  static T prepared(T value) {
    return value;
  }
  template <class T>
  static T combined(T a, T b) {
    return a + b;
  }
};

// NaN with anything is NaN; -0 is below +0. Written as selections, of which the compiler makes vector code.
struct Minimum {
  static constexpr std::string_view kName = "min";
  static constexpr std::uint16_t kCode = 1;
  template <class T>
  static constexpr T identity() {
    return std::numeric_limits<T>::infinity();
  }
  template <class T>
  static T prepared(T value) {
    return with_one_nan(value);
  }
  template <class T>
  static T combined(T a, T b) {
    const T lower = a < b ? a : b;
    const T number =
        a == b ? std::bit_cast<T>(static_cast<FloatBits<T>>(float_bits(a) | float_bits(b))) : lower;
    return a == a && b == b ? number : std::numeric_limits<T>::quiet_NaN();
  }
};

// NaN with anything is NaN; +0 is above -0.
struct Maximum {
  static constexpr std::string_view kName = "max";
  static constexpr std::uint16_t kCode = 2;
  template <class T>
  static constexpr T identity() {
    return -std::numeric_limits<T>::infinity();
  }
  template <class T>
  static T prepared(T value) {
    return with_one_nan(value);
  }
  template <class T>
  static T combined(T a, T b) {
    const T upper = a > b ? a : b;
    const T number =
        a == b ? std::bit_cast<T>(static_cast<FloatBits<T>>(float_bits(a) & float_bits(b))) : upper;
    return a == a && b == b ? number : std::numeric_limits<T>::quiet_NaN();
  }
};

// NaN with anything, and 0 times infinity, is NaN.
struct Product {
  static constexpr std::string_view kName = "product";
  static constexpr std::uint16_t kCode = 3;
  template <class T>
  static constexpr T identity() {
    return T{1};
  }
  template <class T>
  static T prepared(T value) {
    return with_one_nan(value);
  }
  template <class T>
  static T combined(T a, T b) {
    return with_one_nan(a * b);
  }
};

// Everything but 0 and -0 is true, NaN included. The result is 1 where a rank holds a true value, and no
// element elsewhere.
struct LogicalOr {
  static constexpr std::string_view kName = "or";
  static constexpr std::uint16_t kCode = 4;
  template <class T>
  static constexpr T identity() {
    return T{0};
  }
  template <class T>
  static T prepared(T value) {
    return value != T{0} ? T{1} : T{0};
  }
  template <class T>
  static T combined(T a, T b) {
    return prepared(a) + prepared(b) > T{0} ? T{1} : T{0};
  }
};

// Their names, the sum first.
inline constexpr std::array<std::string_view, 5> kOperatorNames = {
    Plus::kName, Minimum::kName, Maximum::kName, Product::kName, LogicalOr::kName};

// What `visit` returns for the operator of that name: with_operator("min", visit) is visit(Minimum()). Throws
// std::invalid_argument if there is none.
template <class Visit>
auto with_operator(std::string_view name, const Visit& visit) {
  if (name == Plus::kName) return visit(Plus());
  if (name == Minimum::kName) return visit(Minimum());
  if (name == Maximum::kName) return visit(Maximum());
  if (name == Product::kName) return visit(Product());
  if (name == LogicalOr::kName) return visit(LogicalOr());
  throw std::invalid_argument("no operator is called \"" + std::string(name) + "\"");
}

}  // namespace sparsewire
