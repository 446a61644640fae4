package io.punctual.internal.queue;

import io.punctual.LeaseHolder;
import io.punctual.WorkerInfo;
import io.punctual.internal.delivery.Claimants;
import io.punctual.internal.runtime.ProcessInfo;
import io.punctual.spi.Entry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The clients that can hold leases, by their ids. The id of a client is the beginning of the ids of
 * its sessions. Immutable.
 */
record LeaseHolders(Map<String, Client> clients) {
  /** The number of characters of a client's id. */
  private static final int ID_LENGTH = 16;

  /** Knows the names of a client's claimants. */
  interface Names {
    /** Returns the name of the claimant of a delivery, or null if it is not known. */
    @Nullable String of(String queue, String id, int attempt);
  }

  /**
   * A client.
   *
   * @param process the process of the client
   * @param workers its listed workers
   */
  record Client(ProcessInfo process, List<WorkerInfo> workers, Names claimants) {
    /** Returns a client whose announcement has the names of claimants by {@link Claimants#hash}. */
    static Client of(ProcessInfo process, List<WorkerInfo> workers, Map<String, String> names) {
      return new Client(
          process, workers, (queue, id, attempt) -> names.get(Claimants.hash(queue, id, attempt)));
    }

    private LeaseHolder holder(String session, Entry entry, String queue) {
      List<WorkerInfo> ofQueue =
          workers.stream().filter(worker -> worker.queue().equals(queue)).toList();
      Optional<String> claimant =
          Optional.ofNullable(claimants.of(queue, entry.id(), entry.attempts()));
      ProcessInfo there =
          ofQueue.stream()
              .filter(worker -> claimant.isPresent() && worker.name().equals(claimant.get()))
              .findFirst()
              .map(worker -> new ProcessInfo(worker.host(), worker.pid(), worker.version()))
              .orElse(process);
      List<String> names = ofQueue.stream().map(WorkerInfo::name).distinct().sorted().toList();
      return new ListedHolder(session, claimant, names, there);
    }
  }

  /** Returns a new id for a client. */
  static String newId(RandomGenerator random) {
    StringBuilder id = new StringBuilder(ID_LENGTH);
    while (id.length() < ID_LENGTH) {
      id.append(Character.forDigit(random.nextInt(36), 36));
    }
    return id.toString();
  }

  /** Returns the holder of a message's lease, or null if the store does not know its session. */
  @Nullable LeaseHolder of(Entry entry, String queue) {
    String session = entry.holder();
    if (session == null) {
      return null;
    }
    Client client =
        clients.get(session.length() > ID_LENGTH ? session.substring(0, ID_LENGTH) : session);
    return client == null
        ? new ListedHolder(session, Optional.empty(), List.of(), null)
        : client.holder(session, entry, queue);
  }
}
