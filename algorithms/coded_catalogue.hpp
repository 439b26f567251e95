// The algorithms compiled once for the streams that travel in a codec: a file for each type of value.
#pragma once

#include "algorithms/catalogue.hpp"
#include "algorithms/payload/coded.hpp"

namespace sparsewire {

extern template std::vector<AllreduceEntry<Coded<float>>> allreduce_table();
extern template std::vector<AllreduceEntry<Coded<double>>> allreduce_table();

}  // namespace sparsewire
