// The algorithms compiled once for values of 16 bits. Apart from coded_catalogue.hpp, as it needs Eigen.
#pragma once

#include "algorithms/catalogue.hpp"
#include "algorithms/payload/coded.hpp"
#include "algorithms/payload/half.hpp"

namespace sparsewire {

extern template std::vector<AllreduceEntry<Coded<Half>>> allreduce_table();
extern template std::vector<AllreduceEntry<Coded<Bfloat16>>> allreduce_table();

}  // namespace sparsewire
