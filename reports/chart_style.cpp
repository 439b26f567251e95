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
  const FamilyLook& look = sparse ? kSparse : kDense;
  const std::size_t i = index % look.colors.size();
  const std::size_t shape = (index + index / look.colors.size()) % look.points.size();
  Style style;
  style.number = number;
  style.line = fmt::format("lc rgb {} dt {} lw 2 pt {} ps 0.9", hex(look.colors[i]), look.dashes[shape],
                           look.points[shape]);
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

// At most about eight of them, evenly.
std::vector<Tic> thinned(const std::vector<Tic>& tics) {
  constexpr std::size_t kMost = 8;
  const std::size_t stride = (tics.size() + kMost - 1) / kMost;
  std::vector<Tic> result;
  for (std::size_t i = 0; i < tics.size(); i += stride) result.push_back(tics[i]);
  return result;
}

std::vector<Tic> labelled_tics(const Range& range) {
  constexpr std::size_t kEnough = 4;
  std::vector<double> tenths;
  for (int i = 10; i < 100; ++i) tenths.push_back(i / 10.0);
  for (const auto& mantissas : {std::vector<double>{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 7}}) {
    const std::vector<Tic> tics = tics_with(mantissas, range);
    if (tics.size() >= kEnough) return tics.size() > 12 ? thinned(tics) : tics;
  }
  return thinned(tics_with(tenths, range));
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
  if (tic.mantissa == 1) return fmt::format("10^{{{}}}", tic.exponent);
  return fmt::format("{:.3g}·10^{{{}}}", tic.mantissa, tic.exponent);
}

std::string time_label(const Tic& tic) {
  std::string text = format_time_short(tic.value);
  const std::size_t micro = text.find("us");
  if (micro != text.npos) text.replace(micro, 2, "µs");
  return text;
}

std::string superscript(const std::string& power) {
  const std::size_t mark = power.find('^');
  if (mark == power.npos) return power;
  return fmt::format("{}^{{{}}}", power.substr(0, mark), power.substr(mark + 1));
}

}  // namespace

Styles styles_of(const std::vector<Measurement>& measurements) {
  std::map<std::string, std::string> families;
  for (const Measurement& m : measurements) families[m.algorithm] = m.family;
  Styles styles;
  int number = 0;
  for (const bool sparse : {true, false}) {
    std::size_t index = 0;
    for (const auto& [algorithm, family] : families) {
      if ((family == "sparse") == sparse) styles[algorithm] = style_of(family, index++, ++number);
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

std::string parameters_title(const std::string& what, const SeriesKey& key) {
  const std::string ranks = key.ranks > 0 ? fmt::format(", P = {} ranks", key.ranks) : "";
  return fmt::format("{}.{}.{}", gnuplot_text(what + ": " + key.workload + ranks + ", N = "),
                     gnuplot_enhanced(superscript(format_power(key.dimension))),
                     gnuplot_text(" elements, " + key.precision));
}

std::string full_title(const std::string& what, const SeriesKey& key) {
  return fmt::format("{}.\"\\n\".{}", parameters_title(what, key), gnuplot_text(origin_of(key)));
}

std::string origin_of(const SeriesKey& key) {
  std::string text = key.backend;
  if (!key.machine.empty()) text += ", machine " + key.machine;
  if (!key.topology.empty()) text += ", topology " + key.topology;
  return text;
}

std::string density_axis_name() {
  return "set xlabel 'density of a rank (non-zeros / N)'\n";
}

std::string light_grid() {
  return "set grid xtics ytics lc rgb '#d8d8d8' lt 1 lw 0.7\n";
}

std::string data_block(const std::string& name, const std::vector<CurvePoint>& points) {
  std::string block = fmt::format("# {}\n", gnuplot_text(name));
  for (const CurvePoint& point : points) block += fmt::format("{} {}\n", point.density, point.time);
  return block + "\n\n";
}

}  // namespace sparsewire
