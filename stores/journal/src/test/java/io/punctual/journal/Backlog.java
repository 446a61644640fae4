package io.punctual.journal;

import io.punctual.IfPresent;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A process with little memory that schedules a backlog of messages, or opens the backlog and
 * claims or cancels a part of it. Ends with an error if an operation fails, for example for lack of
 * memory.
 */
final class Backlog {
  private static final int BATCH = 1000;

  private final Random random = new Random(3);
  private final boolean isOverdue;
  private final int messages;

  private Backlog(boolean isOverdue, int messages) {
    this.isOverdue = isOverdue;
    this.messages = messages;
  }

  /**
   * The arguments are {@code schedule} or {@code open}, {@code waiting} or {@code overdue}, the
   * folder, and the number of messages.
   */
  public static void main(String[] args) {
    Backlog backlog = new Backlog(args[1].equals("overdue"), Integer.parseInt(args[3]));
    try (JournalStore store = JournalStore.builder(Path.of(args[2])).open()) {
      Session session = Session.of(store, "q");
      if (args[0].equals("schedule")) {
        backlog.schedule(session);
      } else {
        backlog.work(session);
      }
    }
  }

  private void schedule(Session session) {
    for (int first = 0; first < messages; first += BATCH) {
      List<Operation> batch = new ArrayList<>(BATCH);
      for (int i = first; i < first + BATCH; i++) {
        byte[] payload = new byte[100];
        random.nextBytes(payload);
        long due = (isOverdue ? 0 : 4_000_000_000_000L) + random.nextInt(1_000_000_000);
        batch.add(
            new Operation.Schedule(
                "order-%08d".formatted(i),
                new DueTime(false, due),
                IfPresent.KEEP,
                Content.of(payload)));
      }
      Session.await(session.send(new Call.Apply(batch, null)));
    }
  }

  /**
   * Claims and acks, or cancels, a twentieth of the messages, so that compaction has segments to
   * compact.
   */
  private void work(Session session) {
    for (int done = 0; done < messages / 20; done += 250) {
      List<Operation> batch = new ArrayList<>();
      if (isOverdue) {
        Reply.Claimed claimed = session.claim(250);
        claimed.messages().forEach(m -> batch.add(new Operation.Ack(m.id(), claimed.token())));
      } else {
        for (int i = done; i < done + 250; i++) {
          batch.add(new Operation.Cancel("order-%08d".formatted(i)));
        }
      }
      Session.await(session.send(new Call.Apply(batch, null)));
    }
    PartitionCounts counts = Session.await(session.partition().counts().toCompletableFuture());
    if (counts.scheduled() + counts.ready() != messages - messages / 20) {
      throw new AssertionError("Not what should be left: " + counts);
    }
  }
}
