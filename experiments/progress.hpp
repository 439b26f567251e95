// How far a sweep is: one line that is redrawn on a terminal, a plain line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace sparsewire {

class Progress {
 public:
  // `total` points are to be done; writes to `out`, which the caller owns. `label` starts each line, cut
  // short where a terminal is too narrow for it.
  Progress(std::string label, std::size_t total, std::FILE* out);

  // One more point is done.
  void step();

  // Shows where things stand, if there is something new to show.
  void refresh();

  // Ends the line on a terminal; says how long it took.
  void finish();

  std::size_t done() const { return done_; }

 private:
  using Clock = std::chrono::steady_clock;
  double elapsed_s() const;
  std::string count() const;
  std::string text() const;

  std::string label_;
  std::size_t total_, done_ = 0;
  std::FILE* out_;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

}  // namespace sparsewire
