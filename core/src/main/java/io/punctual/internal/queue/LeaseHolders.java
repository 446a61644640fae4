package io.punctual.internal.queue;

import io.punctual.LeaseHolder;
import io.punctual.WorkerInfo;
import io.punctual.internal.runtime.ProcessInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The clients that can hold leases, by their ids. The id of a client is the beginning of the ids of
 * its sessions. Immutable.
 *
 * @param own the id of this client
 * @param process the process of this client
 * @param workers the listed workers of each client
 */
record LeaseHolders(String own, ProcessInfo process, Map<String, List<WorkerInfo>> workers) {
  /** The number of characters of a client's id. */
  private static final int ID_LENGTH = 16;

  /** Returns a new id for a client. */
  static String newId(RandomGenerator random) {
    StringBuilder id = new StringBuilder(ID_LENGTH);
    while (id.length() < ID_LENGTH) {
      id.append(Character.forDigit(random.nextInt(36), 36));
    }
    return id.toString();
  }

  /** Returns the holder of a lease, or null if the store does not know its session. */
  @Nullable LeaseHolder of(@Nullable String session, String queue) {
    if (session == null) {
      return null;
    }
    String client = session.length() > ID_LENGTH ? session.substring(0, ID_LENGTH) : session;
    List<WorkerInfo> listed = workers.getOrDefault(client, List.of());
    List<String> names =
        listed.stream()
            .filter(worker -> worker.queue().equals(queue))
            .map(WorkerInfo::name)
            .distinct()
            .sorted()
            .toList();
    Optional<WorkerInfo> any = listed.stream().findFirst();
    if (any.isPresent()) {
      return holder(session, names, any.get().host(), any.get().pid());
    }
    return client.equals(own)
        ? holder(session, names, process.host(), process.pid())
        : new LeaseHolder(session, List.of(), Optional.empty(), OptionalLong.empty());
  }

  private static LeaseHolder holder(String session, List<String> names, String host, long pid) {
    return new LeaseHolder(session, names, Optional.of(host), OptionalLong.of(pid));
  }
}
