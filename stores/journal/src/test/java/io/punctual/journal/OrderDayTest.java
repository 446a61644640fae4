package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.IfPresent;
import io.punctual.PunctualException;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.format.RecordType;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests two hours of orders, or a day with the property {@code punctual.thorough}. Each order times
 * out after half an hour, and nine of ten orders are paid before. The size of the files must stay
 * in proportion to the pending messages. The property {@code punctual.orders} sets the number of
 * orders a minute, 10 by default.
 */
final class OrderDayTest {
  private static final int ORDERS_A_MINUTE = Integer.getInteger("punctual.orders", 10);
  private static final int TIMEOUT_MINUTES = 30;
  private static final int MINUTES = Boolean.getBoolean("punctual.thorough") ? 24 * 60 : 2 * 60;

  /** The size of a segment in bytes. The pending messages fill two to three segments. */
  private static final int SEGMENT = Math.max(4096, ORDERS_A_MINUTE * TIMEOUT_MINUTES * 32);

  private final Random random = new Random(5);
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.ofEpochSecond(1_800_000_000));
  private final Map<Integer, List<String>> paidAt = new HashMap<>();
  private long pendingBytes;
  private double worst;

  @TempDir Path folder;

  private JournalStore open() {
    JournalOptions options =
        new JournalOptions(now::get, Fsync.OS, SEGMENT, 0, Duration.ofMillis(1));
    try {
      return new JournalStore(OpenJournal.open(Folder.take(folder, true), options), "day");
    } catch (IOException e) {
      throw new PunctualException("not opened", e);
    }
  }

  @Test
  void orders_nineOfTenPaidInTime_diskStaysInProportion() throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "order-timeout");
      for (int minute = 0; minute < MINUTES; minute++) {
        place(session, minute);
        pay(session, minute);
        close(session);
        now.updateAndGet(before -> before.plus(Duration.ofMinutes(1)));
        await()
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(2))
            .atMost(Duration.ofMinutes(1))
            .until(this::isInProportion);
      }
      System.out.printf("OrderDayTest: at most %.2f of what is allowed%n", worst);
    }
    assertThat(JournalTool.verify(folder).damage()).isEmpty();
    assertThat(JournalTool.stats(folder).waiting())
        .isEqualTo(pendingBytes / recordBytes("order-0000000"));
  }

  private void place(Session session, int minute) {
    List<Operation> orders = new ArrayList<>();
    for (int i = 0; i < ORDERS_A_MINUTE; i++) {
      String id = "order-%07d".formatted(minute * ORDERS_A_MINUTE + i);
      orders.add(
          new Operation.Schedule(
              id,
              new DueTime(true, TimeUnit.MINUTES.toMillis(TIMEOUT_MINUTES)),
              IfPresent.KEEP,
              content()));
      if (random.nextInt(10) != 0) {
        int paid = minute + random.nextInt(TIMEOUT_MINUTES);
        paidAt.computeIfAbsent(paid, empty -> new ArrayList<>()).add(id);
      }
      pendingBytes += recordBytes(id);
    }
    apply(session, orders);
  }

  private static Content content() {
    return Content.of(new byte[100]);
  }

  private static long recordBytes(String id) {
    return (long) RecordType.MESSAGE.leastLength()
        + id.length()
        + ContentFormat.encode(content()).length;
  }

  private void pay(Session session, int minute) {
    List<String> ids = paidAt.getOrDefault(minute, List.of());
    apply(session, ids.stream().<Operation>map(Operation.Cancel::new).toList());
    paidAt.remove(minute);
    ids.forEach(id -> pendingBytes -= recordBytes(id));
  }

  private void close(Session session) {
    Reply.Claimed claimed = session.claim(1000);
    while (!claimed.messages().isEmpty()) {
      long token = claimed.token();
      List<Operation> acks = new ArrayList<>();
      for (Reply.Leased leased : claimed.messages()) {
        acks.add(new Operation.Ack(leased.id(), token));
        pendingBytes -= recordBytes(leased.id());
      }
      apply(session, acks);
      claimed = session.claim(1000);
    }
  }

  private static void apply(Session session, List<Operation> operations) {
    for (int from = 0; from < operations.size(); from += 1000) {
      List<Operation> part = operations.subList(from, Math.min(operations.size(), from + 1000));
      Session.await(session.send(new Call.Apply(part, null)));
    }
  }

  private boolean isInProportion() throws IOException {
    double share = diskBytes() / (2.5 * pendingBytes + 3 * SEGMENT);
    worst = Math.max(worst, Math.min(share, 1));
    return share <= 1;
  }

  /** Returns the total size of all files, including hints and unfinished files. */
  private double diskBytes() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.mapToLong(OrderDayTest::size).sum();
    }
  }

  private static long size(Path file) {
    try {
      return Files.exists(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      return 0;
    }
  }
}
