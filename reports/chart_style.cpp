#include "reports/chart_style.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "reports/gnuplot.hpp"
#include "reports/text.hpp"

namespace sparsewire {
namespace {

struct Rgb {
  int red, green, blue;
};

// Okabe and Ito's colours without yellow, which does not show as a line on paper.
constexpr Rgb kBlue{0, 114, 178}, kVermillion{213, 94, 0}, kGreen{0, 158, 115}, kPurple{204, 121, 167};
constexpr Rgb kOrange{230, 159, 0}, kSky{86, 180, 233}, kBlack{0, 0, 0};

struct FamilyLook {
  std::array<Rgb, 7> colors;
  std::array<int, 7> points;
  std::array<const char*, 7> dashes;
};
constexpr FamilyLook kSparse{{kBlue, kVermillion, kGreen, kPurple, kOrange, kSky, kBlack},
                             {7, 5, 9, 13, 11, 15, 3},
                             {"1", "1", "1", "1", "1", "1", "1"}};
constexpr FamilyLook kDense{{kBlack, kSky, kVermillion, kGreen, kPurple, kBlue, kOrange},
                            {6, 4, 8, 12, 10, 14, 2},
                            {"(12,5)", "(4,4)", "(12,4,3,4)", "(20,6)", "(12,4,3,4,3,4)", "(7,7)", "(2,5)"}};
constexpr FamilyLook kLossy{
    {kVermillion, kBlue, kGreen, kPurple, kOrange, kSky, kBlack},
    {1, 2, 3, 1, 2, 3, 1},
    {"(2,3)", "(6,3,2,3)", "(10,4,2,4)", "(2,6)", "(8,3)", "(4,2,1,2)", "(12,3,2,3)"}};
constexpr std::array<double, 4> kTints{0.45, 0.75, 0.3, 0.6};
constexpr std::array kHatches{4, 5, 6, 7, 1, 2};

std::string hex(const Rgb& color) {
  return fmt::format("'#{:02x}{:02x}{:02x}'", color.red, color.green, color.blue);
}

Rgb tinted(const Rgb& color, double share) {
  const auto mix = [share](int part) { return static_cast<int>(std::lround(255 - share * (255 - part))); };
  return {mix(color.red), mix(color.green), mix(color.blue)};
}

Style style_of(const std::string& family, std::size_t index, int number) {
  const bool sparse = family == "sparse";
  const FamilyLook& look = sparse ? kSparse : family == "dense" ? kDense : kLossy;
  const std::size_t i = index % look.colors.size();
  const std::size_t shape = (index + index / look.colors.size()) % look.points.size();
  Style style;
  style.number = number;
  style.line = fmt::format("lc rgb {} dt {} lw 1.7", hex(look.colors[i]), look.dashes[shape]);
  style.point = fmt::format("pt {} ps {}*point_scale", look.points[shape], sparse ? 0.9 : 1.1);
  style.fill = sparse ? fmt::format("lc rgb {} fs solid noborder",
                                    hex(tinted(look.colors[i], kTints[index % kTints.size()])))
                      : fmt::format("lc rgb {} fs pattern {} noborder", hex(look.colors[i]),
                                    kHatches[index % kHatches.size()]);
  return style;
}

// ---- tics

struct Tic {
  double value;
  int exponent;
  double mantissa;
};

std::vector<Tic> tics_with(const std::vector<double>& mantissas, const Range& range) {
  std::vector<Tic> tics;
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::floor(std::log10(range.high)));
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const double mantissa : mantissas) {
      const double value = mantissa * std::pow(10.0, exponent);
      if (value >= range.low && value <= range.high) tics.push_back({value, exponent, mantissa});
    }
  }
  return tics;
}

// Three to nine tics at multiples of 1, 2 or 5 times a power of ten, for ranges too short for powers.
std::vector<Tic> linear_tics(const Range& range) {
  const double rough = (range.high - range.low) / 8;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double step = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1);
  std::vector<Tic> tics;
  for (double count = std::ceil(range.low / step); count * step <= range.high; ++count) {
    const double value = count * step;
    const int exponent = static_cast<int>(std::floor(std::log10(value * (1 + 1e-12))));
    tics.push_back({value, exponent, value / std::pow(10.0, exponent)});
  }
  return tics;
}

std::vector<Tic> every_other(const std::vector<Tic>& tics) {
  std::vector<Tic> result;
  for (std::size_t i = 0; i < tics.size(); i += 2) result.push_back(tics[i]);
  return result;
}

std::vector<Tic> labelled_tics(const Range& range) {
  constexpr std::size_t kEnough = 4, kMost = 12;
  for (const auto& mantissas : {std::vector<double>{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 7}}) {
    std::vector<Tic> tics = tics_with(mantissas, range);
    while (tics.size() > kMost) tics = every_other(tics);
    if (tics.size() >= kEnough) return tics;
  }
  return linear_tics(range);
}

using TicLabel = std::function<std::string(const Tic&)>;

std::string log_axis(const std::string& axis, const Range& range, const TicLabel& label) {
  std::vector<std::string> tics;
  for (const Tic& tic : labelled_tics(range)) {
    tics.push_back(fmt::format("{} {:.6g}", gnuplot_enhanced(label(tic)), tic.value));
  }
  for (const Tic& tic : tics_with({1, 2, 3, 4, 5, 6, 7, 8, 9}, range)) {
    tics.push_back(fmt::format("'' {:.6g} 1", tic.value));
  }
  return fmt::format("set logscale {0}\nset {0}range [{1:.6g}:{2:.6g}]\nset {0}tics ({3})\n", axis, range.low,
                     range.high, fmt::join(tics, ", "));
}

std::string power_label(const Tic& tic) {
  if (tic.exponent == 0) return fmt::format("{:.3g}", tic.value);
  if (std::abs(tic.mantissa - 1) < 1e-9) return fmt::format("10^{{{}}}", tic.exponent);
  return fmt::format("{:.3g}·10^{{{}}}", tic.mantissa, tic.exponent);
}

std::string time_label(const Tic& tic) {
  std::string text = format_time_short(tic.value);
  const std::size_t micro = text.find("us");
  if (micro != text.npos) text.replace(micro, 2, "µs");
  return text;
}

}  // namespace

Styles styles_of(const std::vector<Measurement>& measurements) {
  std::map<std::string, std::string> families;
  for (const Measurement& m : measurements) families[m.algorithm] = m.family;
  Styles styles;
  int number = 0;
  for (const int order : {0, 1, 2}) {
    std::size_t index = 0;
    for (const auto& [algorithm, family] : families) {
      if (family_order(family) == order) styles[algorithm] = style_of(family, index++, ++number);
    }
  }
  return styles;
}

Range log_range(const std::vector<double>& values, double margin) {
  const auto [low, high] = std::ranges::minmax(values);
  const double factor = std::max(std::pow(high / low, margin), 1.05);
  return {low / factor, high * factor};
}

std::string density_axis(const std::string& axis, const Range& range) {
  const bool plain = range.low >= 1e-3;
  return log_axis(axis, range, [plain](const Tic& tic) {
    return plain ? fmt::format("{:.3g}", tic.value) : power_label(tic);
  });
}

std::string time_axis(const std::string& axis, const Range& range) {
  return log_axis(axis, range, time_label);
}

std::string ratio_axis(const std::string& axis, const Range& range) {
  return log_axis(axis, range, [](const Tic& tic) { return fmt::format("{:.3g}", tic.value); });
}

std::string density_axis_name() {
  return "set xlabel 'density of a rank (non-zeros / N)'\n";
}

std::string light_grid() {
  return "set grid xtics ytics lc rgb '#d8d8d8' lt 1 lw 0.7\n";
}

std::string plot_lines(const std::vector<Curve>& curves, const Styles& styles) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Style& style = styles.at(curves[i].algorithm);
    parts.push_back(fmt::format("data index {} with linespoints {} {} title {}", i, style.line, style.point,
                                gnuplot_text(curves[i].algorithm)));
  }
  return fmt::format("  plot {}", fmt::join(parts, ", \\\n    "));
}

std::string data_block(const std::string& name, const std::vector<CurvePoint>& points) {
  std::string block = fmt::format("# {}\n", gnuplot_text(name));
  for (const CurvePoint& point : points) block += fmt::format("{} {}\n", point.density, point.time);
  return block + "\n\n";
}

}  // namespace sparsewire
