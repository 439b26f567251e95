#include "algorithms/coded_catalogue.hpp"

namespace sparsewire {

template std::vector<AllreduceEntry<Coded<float>>> allreduce_table();

}  // namespace sparsewire
