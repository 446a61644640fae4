package io.punctual.internal.queue;

import io.punctual.LeaseHolder;
import io.punctual.internal.runtime.ProcessInfo;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a lease, from the announcements.
 *
 * @param process the process of the holder, or null if it is not known
 */
record ListedHolder(
    String session, Optional<String> claimant, List<String> workers, @Nullable ProcessInfo process)
    implements LeaseHolder {
  @Override
  public Optional<String> host() {
    return Optional.ofNullable(process).map(ProcessInfo::host);
  }

  @Override
  public OptionalLong pid() {
    return process == null || process.pid() == 0
        ? OptionalLong.empty()
        : OptionalLong.of(process.pid());
  }

  @Override
  public String describe() {
    if (process == null) {
      return "session " + session;
    }
    String name = workers.isEmpty() ? "a client" : String.join(", ", workers);
    return claimant.orElse(name)
        + " on "
        + process.host()
        + (process.pid() == 0 ? "" : " (pid " + process.pid() + ")");
  }
}
