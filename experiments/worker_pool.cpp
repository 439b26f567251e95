#include "experiments/worker_pool.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

namespace sparsewire {
namespace {

constexpr int kPollMilliseconds = 200;
constexpr int kKeptBytes = 1 << 30;

// A process, the leader of a process group: an interrupt from the terminal is the parent's to handle, and
// what the process has started ends with it.
struct Worker {
  std::size_t job = 0;
  pid_t process = -1;
  int pipe = -1;
  std::string unfinished;  // a line that has not ended yet
};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) _exit(1);  // nobody listens any more
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void work(const Job& job, int pipe, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setpgid(0, 0);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  // messages of megabytes come and go: keep their memory instead of giving it back to the system each time
  mallopt(M_MMAP_THRESHOLD, kKeptBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  try {
    job([pipe](const std::string& line) { write_all(pipe, line + "\n"); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sparsewire: %s\n", error.what());
    _exit(1);
  } catch (...) {
    std::fputs("sparsewire: a simulation threw something that is no std::exception\n", stderr);
    _exit(1);
  }
  _exit(0);
}

Worker start(const Job& job, std::size_t number) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  std::fflush(nullptr);
  const pid_t parent = getpid(), process = fork();
  if (process == 0) {
    close(ends[0]);
    work(job, ends[1], parent);
  }
  const int error = errno;
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    errno = error;
    fail("fork");
  }
  setpgid(process, process);  // here as well, as either may come first
  return {number, process, ends[0], ""};
}

// Reads what is there; false at the end.
bool read_lines(Worker& worker, const JobListener& listener) {
  char buffer[1 << 16];
  const ssize_t size = read(worker.pipe, buffer, sizeof buffer);
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  worker.unfinished.append(buffer, static_cast<std::size_t>(size));
  std::size_t begin = 0;
  for (std::size_t end; (end = worker.unfinished.find('\n', begin)) != std::string::npos; begin = end + 1)
    listener.line(worker.job, worker.unfinished.substr(begin, end - begin));
  worker.unfinished.erase(0, begin);
  return size > 0;
}

std::string crash_of(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "exited with code " + std::to_string(WEXITSTATUS(status));
}

std::string reap(Worker& worker) {
  close(worker.pipe);
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
  }
  return crash_of(status);
}

// The processes under way. Those that are left at the end are killed.
class Workers {
 public:
  explicit Workers(const JobListener& listener) : listener_(listener) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    kill_all();
    for (Worker& worker : workers_) reap(worker);
  }

  std::size_t size() const { return workers_.size(); }

  void add(Worker worker) { workers_.push_back(std::move(worker)); }

  // Waits a moment for results, and lets go of workers that have ended.
  void listen() {
    std::vector<pollfd> polled;
    for (const Worker& worker : workers_) polled.push_back({worker.pipe, POLLIN, 0});
    if (poll(polled.data(), polled.size(), kPollMilliseconds) < 0 && errno != EINTR) fail("poll");
    for (std::size_t i = polled.size(); i-- > 0;)
      if (polled[i].revents != 0 && !read_lines(workers_[i], listener_)) end(i);
  }

  // Kills all workers and hears what they have emitted by then.
  void stop() {
    kill_all();
    for (Worker& worker : workers_)
      while (read_lines(worker, listener_)) {
      }
  }

 private:
  void end(std::size_t i) {
    Worker worker = std::move(workers_[i]);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
    listener_.ended(worker.job, reap(worker));
  }

  void kill_all() const {
    for (const Worker& worker : workers_) kill(-worker.process, SIGKILL);
  }

  const JobListener& listener_;
  std::vector<Worker> workers_;
};

}  // namespace

void run_jobs(const std::vector<Job>& jobs, unsigned processes, const std::atomic<bool>& stop,
              const JobListener& listener) {
  Workers workers(listener);
  std::size_t next = 0;
  while (!stop && (next < jobs.size() || workers.size() > 0)) {
    for (; next < jobs.size() && workers.size() < std::max(processes, 1u); ++next)
      workers.add(start(jobs[next], next));
    workers.listen();
    listener.idle();
  }
  workers.stop();
}

}  // namespace sparsewire
