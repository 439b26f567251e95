#include "reports/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>

namespace sparsewire {
namespace {

struct Unit {
  Seconds size;
  std::string_view name;
};
constexpr std::array kUnits = {Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "us"}, Unit{1e-9, "ns"}};

// The largest unit in which three rounded digits show at least 1.
const Unit& unit_for(Seconds time) {
  for (const Unit& unit : kUnits) {
    if (std::abs(time) >= 0.9995 * unit.size) return unit;
  }
  return kUnits.back();
}

int power_of_ten(std::uint64_t number) {
  int exponent = 0;
  for (; number >= 10 && number % 10 == 0; number /= 10) ++exponent;
  return number == 1 ? exponent : 0;
}

}  // namespace

std::string format_time(Seconds time) {
  if (std::isnan(time)) return "-";
  if (time == 0 || std::isinf(time)) return fmt::format("{} s", time);
  const Unit& unit = unit_for(time);
  const double value = time / unit.size;
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value) * 1.0005))) + 1;
  return fmt::format("{:.{}f} {}", value, std::clamp(3 - before_point, 0, 6), unit.name);
}

std::string format_time_short(Seconds time) {
  const Unit& unit = unit_for(time);
  return fmt::format("{:.4g} {}", time / unit.size, unit.name);
}

std::string format_density(double density) {
  return fmt::format("{:.3g}", density);
}

std::string format_crossover_density(double density) {
  return fmt::format("{:.2g}", density);
}

std::string format_power(std::uint64_t number) {
  if (number >= 1024 && std::has_single_bit(number)) return fmt::format("2^{}", std::bit_width(number) - 1);
  if (const int exponent = power_of_ten(number); exponent >= 4) return fmt::format("10^{}", exponent);
  return fmt::format("{}", number);
}

}  // namespace sparsewire
