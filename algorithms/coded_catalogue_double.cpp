#include "algorithms/coded_catalogue.hpp"

namespace sparsewire {

template std::vector<AllreduceEntry<Coded<double>>> allreduce_table();

}  // namespace sparsewire
