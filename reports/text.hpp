// Quantities in units that people read.
#pragma once

#include <cstdint>
#include <string>

#include "model/units.hpp"

namespace sparsewire {

// Three significant digits in ns, us, ms or s: "12.3 us". NaN gives "-".
std::string format_time(Seconds time);

// The same of a round time, without trailing zeros: "10 us".
std::string format_time_short(Seconds time);

// A density as measured, three significant digits; and one found by interpolation, two of them.
std::string format_density(double density);
std::string format_crossover_density(double density);

// "2^20" and "10^6" for powers from 1024 and 10000 on, plain digits otherwise.
std::string format_power(std::uint64_t number);

}  // namespace sparsewire
