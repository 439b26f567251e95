// The forms of the lossy allreduces: the mean of one iteration. They take the selected elements to be spread
// uniformly, thresholds to select what they are to select, and no block to need balancing.
#include <algorithm>
#include <numeric>
#include <utility>

#include "model/fill_in.hpp"
#include "model/forms.hpp"

namespace sparsewire {
namespace {

// One rank that stands for all through the iterations of one method.
class LossyForm {
 public:
  LossyForm(const AlgorithmSpec& spec, const Representative& start)
      : spec_(spec), start_(start.input()), rank_(start), selected_(start.input()) {
    const double nonzeros = start_.union_sizes.front(), keep = spec.real("keep");
    count_ = std::min(length(), keep * nonzeros);
    if (spec.parameters.contains("selector") && spec.text("selector") == "chunks" && count_ > 0)
      count_ *= 1 - std::pow(1 - nonzeros / length(), length() / count_);  // chunks that are not all zero
    if (count_ != nonzeros) selected_.union_sizes = uniform_union_sizes(start_.dimension, count_, ranks());
  }

  Terms mean_of(void (LossyForm::*iterate)(std::uint64_t)) {
    const std::uint64_t iterations = spec_.number("iterations");
    for (std::uint64_t i = 0; i < iterations; ++i) {
      work(WorkKind::dense_add, length());
      (this->*iterate)(i);
    }
    Terms mean = rank_.clock();
    for (Seconds Terms::*term :
         {&Terms::total, &Terms::latency, &Terms::overhead, &Terms::bandwidth, &Terms::compute})
      mean.*term /= static_cast<double>(iterations);
    return mean;
  }

  void topk_allgather(std::uint64_t) {
    select();
    work(WorkKind::scatter_add, count_);
    continue_with(sparse_allgather_form(rank_.on(selected_)));
  }

  // Up with the root, then down to the last leaf.
  void gtopk(std::uint64_t) {
    select();
    work(WorkKind::scatter_add, count_);
    for (Rank distance = 1; distance < ranks(); distance *= 2) {
      const Flight<Terms> flight = Representative(rank_).send(pairs(count_));
      rank_.receive(flight);
      work(WorkKind::merge, 2 * count_);
      work(WorkKind::select, std::min(2 * count_, selected_.union_sizes[ranks() > 1 ? 1 : 0]));
    }
    for (Rank distance = 1; distance < ranks(); distance *= 2) rank_.hand_over(pairs(count_));
    work(WorkKind::scatter_add, count_ / 2);
  }

  void oktopk(std::uint64_t iteration) {
    const bool evaluates = iteration % spec_.number("tau_prime") == 0;
    work(evaluates ? WorkKind::select : WorkKind::scan, length());
    work(WorkKind::scatter_add, count_);
    if (iteration % spec_.number("tau") == 0) average_borders();
    exchange_counts();
    split();
    const double all = selected_.union_sizes.back();
    if (evaluates) {
      bruck_allgather_form(rank_, pairs(all / ranks()));
      work(WorkKind::select, all);
    } else {
      work(WorkKind::scan, all / ranks());
      gather_counts();
      bruck_allgather_form(rank_, pairs(count_ / ranks()));
    }
    work(WorkKind::scatter_add, count_ * (1 - count_ / std::max(1.0, all)));
  }

  void spardl(std::uint64_t) {
    const auto teams = std::gcd(static_cast<Rank>(spec_.number("teams")), ranks());
    const Rank size = ranks() / teams;
    const double share = count_ / size;
    for (Rank left = size, distance = static_cast<Rank>(std::bit_ceil(static_cast<std::uint32_t>(size)) / 2);
         distance >= 1; distance /= 2) {
      const Rank blocks = left - distance;
      for (Rank i = 0; i < blocks; ++i) cut_block(size, share);
      rank_.exchange(static_cast<std::uint64_t>(blocks) * pairs(share));
      work(WorkKind::scatter_add, blocks * share);
      left = distance;
    }
    cut_block(size, share);
    if (teams > 1 && spec_.text("gather") == "bruck") {
      gather_teams(teams, share);
    } else {
      for (Rank distance = 1; distance < teams; distance *= 2) add_team(share);
    }
    for (Rank distance = 1; distance < size; distance *= 2)
      rank_.exchange(pairs(share) * static_cast<std::uint64_t>(std::min(distance, size - distance)));
  }

  void scalecom(std::uint64_t) {
    select();
    for (Rank distance = 1; distance < ranks(); distance *= 2) rank_.hand_over(index_list(count_));
    work(WorkKind::scatter_add, count_);
    sum_densely(count_, start_.value_bytes);
    if (spec_.real("beta") != 1) work(WorkKind::dense_add, length());
  }

  void micro(std::uint64_t) {
    work(WorkKind::scan, length() / ranks());
    sum_at_all_selected(start_.union_sizes.front());
  }

  void deft(std::uint64_t) {
    const double layers = static_cast<double>(spec_.number("layers"));
    const double units = layers < ranks() ? layers * ranks() : layers;
    work(WorkKind::scan, length());
    for (Rank distance = 1; distance < ranks(); distance *= 2) rank_.hand_over(rounded(16 * units));
    work(WorkKind::select, length() / ranks());
    sum_at_all_selected(count_);
  }

  void s2_reducer(std::uint64_t) {
    const double rows = static_cast<double>(spec_.number("rows"));
    select();
    work(WorkKind::scatter_add, (rows + 1) * count_);
    sum_densely(rows * std::max(1.0, std::floor(spec_.real("width") * count_)), start_.value_bytes);
    sum_densely(length() / 32, 4);
    work(WorkKind::scan, length());
    work(WorkKind::scatter_add, rows * selected_.union_sizes.back());
  }

  void sketch_peeling(std::uint64_t) {
    const double expected = std::min(length(), count_ * ranks());
    const double cells = 3 * std::max(1.0, std::ceil(spec_.real("cells") * expected / 3));
    select();
    work(WorkKind::scatter_add, 4 * count_);
    work(WorkKind::fill, cells);
    sum_densely(cells, start_.value_bytes);
    sum_densely(filter_bits(expected) / 32, 4);
    work(WorkKind::scan, length());
    work(WorkKind::scatter_add, 3 * selected_.union_sizes.back());
  }

 private:
  Rank ranks() const { return start_.ranks; }
  double length() const { return static_cast<double>(start_.dimension); }
  std::uint64_t pairs(double count) const { return sparse_stream_bytes(rounded(count), start_.value_bytes); }
  static std::uint64_t index_list(double count) { return 8 + kIndexBytes * rounded(count); }
  void work(WorkKind kind, double elements) { rank_.work(kind, rounded(elements)); }
  void continue_with(const Terms& clock) { rank_.wait_until(clock); }

  void select() {
    const std::string& selector = spec_.text("selector");
    if (selector == "exact") return work(WorkKind::select, length());
    const bool takes_all = count_ >= start_.union_sizes.front();
    const double passes = selector == "chunks"     ? 1
                          : takes_all              ? 2
                          : selector == "pareto"   ? 2
                          : selector == "gaussian" ? 3
                                                   : 4;
    work(WorkKind::scan, passes * length());
  }

  // A dense allreduce by recursive halving and doubling.
  void sum_densely(double elements, std::uint64_t value_bytes) {
    const CostInput input{ranks(), rounded(elements), value_bytes,
                          std::vector<double>(static_cast<std::size_t>(ranks()), elements)};
    continue_with(rabenseifner_form(rank_.on(input)));
  }

  void exchange_counts() {
    for (Rank distance = 1; distance < ranks(); distance *= 2) {
      std::uint64_t sent = 0;
      for (Rank i = 0; i < ranks(); ++i) sent += (i & distance) != 0 ? 8 : 0;
      rank_.exchange(sent);
    }
  }
  void gather_counts() { bruck_allgather_form(rank_, 8); }

  void average_borders() {
    const auto borders = static_cast<std::uint64_t>(ranks() - 1);
    for (Rank distance = 1; distance < ranks(); distance *= 2) {
      rank_.exchange(dense_stream_bytes(borders, 8));
      rank_.work(WorkKind::dense_add, borders);
    }
  }

  void split() {
    const double share = count_ / ranks();
    work(WorkKind::fill, length() / ranks());
    work(WorkKind::scatter_add, share);
    std::vector<Flight<Terms>> flights;
    for (Rank step = 1; step < ranks(); ++step) flights.push_back(rank_.send(pairs(share)));
    for (const Flight<Terms>& flight : flights) {
      rank_.receive(flight);
      work(WorkKind::scatter_add, share);
    }
    work(WorkKind::scan, length() / ranks());
  }

  void cut_block(Rank blocks, double share) {
    work(WorkKind::select, length() / blocks);
    work(WorkKind::scatter_add, share);
  }

  void add_team(double share) {
    rank_.exchange(pairs(share));
    work(WorkKind::merge, 2 * share);
    work(WorkKind::select, 2 * share);
    work(WorkKind::scatter_add, share);
  }

  void gather_teams(Rank teams, double share) {
    const double given = share / teams;
    work(WorkKind::select, share);
    work(WorkKind::scatter_add, share - given);
    for (Rank distance = 1; distance < teams; distance *= 2)
      rank_.exchange(pairs(given) * static_cast<std::uint64_t>(std::min(distance, teams - distance)));
    for (Rank team = 1; team < teams; ++team) work(WorkKind::merge, (team + 1) * given);
    work(WorkKind::select, share);
  }

  void sum_at_all_selected(double total) {
    gather_counts();
    bruck_allgather_form(rank_, index_list(total / ranks()));
    work(WorkKind::merge, total);
    work(WorkKind::scatter_add, total);
    sum_densely(total, start_.value_bytes);
  }

  // As IndexFilter of algorithms/lossy/sketch_peeling.hpp.
  double filter_bits(double expected) const {
    const double others = length() - expected;
    if (expected == 0 || others <= 0) return length();
    const double bits = expected * std::max(1.0, std::log2(10 * others / expected)) / std::log(2.0);
    return std::min(bits, length());
  }

  const AlgorithmSpec& spec_;
  const CostInput& start_;
  Representative rank_;
  double count_ = 0;    // elements that a rank selects
  CostInput selected_;  // their unions
};

}  // namespace

std::optional<Terms> lossy_form(const AlgorithmSpec& algorithm, const Representative& start) {
  using Iterate = void (LossyForm::*)(std::uint64_t);
  constexpr std::pair<std::string_view, Iterate> kForms[] = {{"topk-allgather", &LossyForm::topk_allgather},
                                                             {"gtopk", &LossyForm::gtopk},
                                                             {"oktopk", &LossyForm::oktopk},
                                                             {"spardl", &LossyForm::spardl},
                                                             {"scalecom", &LossyForm::scalecom},
                                                             {"micro", &LossyForm::micro},
                                                             {"deft", &LossyForm::deft},
                                                             {"s2-reducer", &LossyForm::s2_reducer},
                                                             {"sketch-peeling", &LossyForm::sketch_peeling}};
  for (const auto& [name, iterate] : kForms)
    if (name == algorithm.name) return LossyForm(algorithm, start).mean_of(iterate);
  return std::nullopt;
}

}  // namespace sparsewire
