#include "experiments/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace sparsewire {
namespace {

constexpr double kTerminalInterval_s = 0.2, kPlainInterval_s = 10;

std::string duration(double seconds) {
  if (seconds >= 3599.5) return fmt::format("{:.1f} h", seconds / 3600);
  const long whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {} s", whole / 60, whole % 60);
}

// What a label may take of a terminal's line, so that the line does not wrap: it could not be redrawn then.
std::size_t room_for_label(std::FILE* out) {
  constexpr std::size_t kUsualColumns = 80, kColumnsOfTheRest = 48, kLeast = 8;
  winsize size{};
  const bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const std::size_t columns = known ? size.ws_col : kUsualColumns;
  return columns < kColumnsOfTheRest + kLeast ? kLeast : columns - kColumnsOfTheRest;
}

}  // namespace

Progress::Progress(std::string label, std::size_t total, std::FILE* out)
    : label_(std::move(label)), total_(total), out_(out), terminal_(isatty(fileno(out)) != 0) {
  if (!terminal_) return;
  const std::size_t room = room_for_label(out);
  if (label_.size() > room) label_.replace(room - 3, label_.npos, "...");
}

double Progress::elapsed_s() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::string Progress::count() const {
  return fmt::format("{}: {}/{} points", label_, done_, total_);
}

std::string Progress::text() const {
  std::string text = count();
  const double rate = static_cast<double>(done_) / std::max(elapsed_s(), 1e-9);
  if (done_ > 0 && done_ < total_)
    text +=
        fmt::format(", {:.3g} points/s, {} left", rate, duration(static_cast<double>(total_ - done_) / rate));
  return text;
}

void Progress::step() {
  ++done_;
  refresh();
}

void Progress::refresh() {
  const double since = std::chrono::duration<double>(Clock::now() - shown_).count();
  if (since < (terminal_ ? kTerminalInterval_s : kPlainInterval_s)) return;
  shown_ = Clock::now();
  fmt::print(out_, "{}{}{}", terminal_ ? "\r\033[K" : "", text(), terminal_ ? "" : "\n");
  std::fflush(out_);
}

void Progress::finish() {
  fmt::print(out_, "{}{} in {:.1f} s\n", terminal_ ? "\r\033[K" : "", count(), elapsed_s());
  std::fflush(out_);
}

}  // namespace sparsewire
