#include "experiments/failure.hpp"

#include <new>
#include <string_view>

#include "experiments/workload.hpp"

namespace sparsewire {

Failure failure_of(const std::exception& error) {
  constexpr std::string_view kBadAlloc = "std::bad_alloc";
  std::string what = error.what();
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return {"failed", "out of memory"};
  // of what a rank threw only the words are left
  if (what.ends_with(kBadAlloc))
    what.replace(what.size() - kBadAlloc.size(), kBadAlloc.size(), "out of memory");
  const bool impossible = dynamic_cast<const std::invalid_argument*>(&error) != nullptr ||
                          dynamic_cast<const NotEnoughData*>(&error) != nullptr;
  return {impossible ? "skipped" : "failed", what};
}

void set_failure(Measurement& measurement, const Failure& failure) {
  measurement.status = failure.status;
  measurement.reason = failure.reason;
}

}  // namespace sparsewire
