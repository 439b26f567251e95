// Jobs in processes of their own: a job that crashes costs nothing but itself.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace sparsewire {

// Runs in a process of its own; hands each result, a line without a line break, to `emit` as soon as it is
// there.
using Job = std::function<void(const std::function<void(const std::string&)>& emit)>;

// Who hears of a job's results, in the process that called run_jobs.
struct JobListener {
  std::function<void(std::size_t job, const std::string& line)> line;
  // The job has ended. `crash` is empty, or says how its process died before the job was done, e.g. "killed
  // by signal 11 (Segmentation fault)".
  std::function<void(std::size_t job, const std::string& crash)> ended;
  std::function<void()> idle;  // a few times a second
};

// Runs the jobs in order, at most `processes` at once, in forked processes. Returns when all have ended, or
// soon after `stop` is set: processes under way are then killed, and what they have emitted by then has been
// heard. Throws std::system_error if no process can be made, and what the listener throws; processes under
// way are then killed too.
void run_jobs(const std::vector<Job>& jobs, unsigned processes, const std::atomic<bool>& stop,
              const JobListener& listener);

}  // namespace sparsewire
