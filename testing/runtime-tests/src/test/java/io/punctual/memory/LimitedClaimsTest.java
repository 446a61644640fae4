package io.punctual.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.QueueLimits;
import io.punctual.SettleOutcome;
import io.punctual.spi.Call;
import io.punctual.spi.DueTime;
import io.punctual.spi.LimitShare;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limits of claims in simulated time. */
final class LimitedClaimsTest {
  private static final long LEASE_MILLIS = 1_000;

  private final SetClock clock = new SetClock();
  private final MemoryStore store = MemoryStore.builder().clock(clock).build();
  private final Partition partition = PartitionClient.join(store.partitions("limited")).get(0);
  private final PartitionClient client = new PartitionClient(partition, "session");
  private int scheduled;

  private void schedule(int messages) {
    for (int i = 0; i < messages; i++) {
      client.schedule(
          "m" + scheduled++, new DueTime(false, SetClock.START_MILLIS - 10_000), IfPresent.KEEP);
    }
  }

  private Reply.Claimed claim(int limit) {
    return (Reply.Claimed) client.call(client.next(new Call.Claim(limit, LEASE_MILLIS, true)));
  }

  private void limits(QueueLimits limits) {
    PartitionClient.join(partition.limits(limits));
  }

  private long nowMicros() {
    return LimitShare.micros(Duration.between(Instant.EPOCH, clock.instant()));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void rate_randomClaims_neverMoreThanBurstAndRateInAnySpan(long seed) {
    Random random = new Random(seed);
    int rate = 1 + random.nextInt(900);
    int burst = 1 + random.nextInt(40);
    limits(QueueLimits.none().rate(rate, Duration.ofSeconds(1), burst));
    schedule(2_000);
    List<long[]> deliveries = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      int taken = claim(1 + random.nextInt(30)).messages().size();
      if (taken > 0) {
        deliveries.add(new long[] {nowMicros(), taken});
      }
      clock.advanceMicros(random.nextInt(random.nextInt(20) == 0 ? 400_000 : 4_000));
    }
    assertThat(deliveries).hasSizeGreaterThan(10);
    for (int from = 0; from < deliveries.size(); from++) {
      long sum = 0;
      for (int to = from; to < deliveries.size(); to++) {
        sum += deliveries.get(to)[1];
        double span = (deliveries.get(to)[0] - deliveries.get(from)[0]) / 1e6;
        assertThat(sum)
            .as("from %d to %d", from, to)
            .isLessThanOrEqualTo((long) (burst + rate * span + 1e-6));
      }
    }
  }

  @Test
  void rate_claimsAtTheTimesOfTheReplies_getTheWholeRate() {
    limits(QueueLimits.none().rate(200, Duration.ofSeconds(1), 5));
    schedule(3_000);
    long begin = nowMicros();
    int taken = 0;
    int claims = 0;
    while (nowMicros() - begin < 10_000_000) {
      Reply.Claimed claimed = claim(100);
      claims++;
      taken += claimed.messages().size();
      assertThat(claimed.untilNextMicros()).isBetween(1L, 5_999L);
      clock.advanceMicros(claimed.untilNextMicros());
    }
    assertThat(taken).isBetween(1_990, 2_005);
    assertThat(claims).isLessThan(2_010);
  }

  @Test
  void rate_clockStepsBack_continuesAtTheRate() {
    limits(QueueLimits.none().rate(10, Duration.ofSeconds(1), 2));
    schedule(10);
    clock.advance(Duration.ofHours(1));
    assertThat(claim(5).messages()).hasSize(2);
    clock.advance(Duration.ofMinutes(-30));
    Reply.Claimed empty = claim(5);
    assertThat(empty.messages()).isEmpty();
    assertThat(empty.untilNextMicros()).isBetween(1L, 101_000L);
    clock.advance(Duration.ofMillis(101));
    assertThat(claim(5).messages()).hasSize(1);
    clock.advance(Duration.ofHours(2));
    assertThat(claim(5).messages()).hasSize(2);
  }

  @Test
  void rate_setAgain_givesNoFurtherBurst() {
    QueueLimits limits = QueueLimits.none().rate(1, Duration.ofHours(1), 3);
    limits(limits);
    schedule(9);
    assertThat(claim(9).messages()).hasSize(3);
    limits(limits);
    limits(QueueLimits.none().rate(1, Duration.ofHours(2), 2));
    assertThat(claim(9).messages()).isEmpty();
  }

  @Test
  void concurrency_random_neverMoreLeased() {
    Random random = new Random(7);
    limits(QueueLimits.none().concurrency(4));
    schedule(200);
    List<String> hints = new ArrayList<>();
    Registration unused = partition.onWakeUp(until -> hints.add("hint"));
    List<Reply.Claimed> held = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      Reply.Claimed claimed = claimAgain(1 + random.nextInt(3));
      if (!claimed.messages().isEmpty()) {
        held.add(claimed);
      }
      assertThat(PartitionClient.join(partition.counts()).leased()).isLessThanOrEqualTo(4);
      if (!held.isEmpty() && random.nextBoolean()) {
        hints.clear();
        boolean full = PartitionClient.join(partition.counts()).leased() == 4;
        Reply.Claimed one = held.remove(random.nextInt(held.size()));
        boolean acked = false;
        for (Reply.Leased message : one.messages()) {
          acked |= isDone(client.apply(new Operation.Ack(message.id(), one.token())).get(0));
        }
        boolean ready = PartitionClient.join(partition.counts()).ready() > 0;
        assertThat(!full || !acked || !ready || !hints.isEmpty()).isTrue();
      }
      clock.advanceMillis(random.nextInt(300));
    }
  }

  private Reply.Claimed claimAgain(int limit) {
    return client.claim(limit, LEASE_MILLIS);
  }

  private static boolean isDone(Outcome outcome) {
    return ((Outcome.OfSettlement) outcome).outcome() == SettleOutcome.DONE;
  }

  @Test
  void concurrency_lowered_leasedMessagesRunOn() {
    schedule(5);
    assertThat(claimAgain(3).messages()).hasSize(3);
    limits(QueueLimits.none().concurrency(2));
    assertThat(claimAgain(3).messages()).isEmpty();
    clock.advanceMillis(LEASE_MILLIS + 1);
    assertThat(claimAgain(5).messages())
        .extracting(Reply.Leased::id)
        .containsOnly("m0", "m1", "m2");
  }
}
