package io.punctual.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.embedded.EngineTime;
import io.punctual.embedded.WakeUps;
import io.punctual.jdbc.sql.Hints;
import io.punctual.spi.Content;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Simulates clients that share a queue. Their notifications arrive at once and in the same order at
 * all of them.
 */
final class DutyTest {
  private static final int CLIENTS = 12;
  private static final long MILLI = 1_000_000;

  private final List<Client> clients = new ArrayList<>();
  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private long nanos;
  private int claims;

  /** The number of due messages of the queue. */
  private int due;

  private record Task(long at, Runnable run) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      return Long.compare(at, other.at);
    }
  }

  /** A client with an idle worker, which claims when it is woken up, unless it has no room. */
  private final class Client implements Hints {
    final String name;
    final WakeUps wakeUps = new WakeUps();
    final Duty duty;
    final Registration registration;
    boolean hasRoom = true;
    private boolean isHintWaiting;

    Client(int number) {
      name = "client-" + number;
      duty =
          new Duty(
              "orders",
              wakeUps,
              this,
              () -> nanos,
              (delay, task) -> tasks.add(new Task(nanos + delay, task)),
              bound -> number * (bound / CLIENTS));
      registration = wakeUps.add(this::wake, this);
    }

    private void wake(long until) {
      if (until > 0) {
        tasks.add(new Task(nanos + until * 1000, () -> wake(0)));
      } else if (hasRoom) {
        claim();
      } else if (due > 0) {
        duty.handOver();
      }
    }

    void claim() {
      Duty.Claim claim = duty.begin();
      claims++;
      List<Reply.Leased> taken = new ArrayList<>();
      for (; due > 0; due--) {
        taken.add(new Reply.Leased("a", Content.of(new byte[0]), 0, 1, new byte[0]));
      }
      long unused =
          duty.claimed(claim, new Reply.Claimed(taken, List.of(), 1, nanos / 1000, Reply.NONE));
    }

    void schedule() {
      due++;
      duty.changed(0, now());
    }

    @Override
    public String client() {
      return name;
    }

    @Override
    public void changed(String queue, long dueMillis, long untilMicros, long patienceMillis) {
      isHintWaiting = patienceMillis > 0;
      if (!isHintWaiting) {
        clients.forEach(each -> each.duty.changedBy(name, untilMicros, nanos / 1000));
      }
    }

    @Override
    public void withdraw(String queue) {
      isHintWaiting = false;
    }

    @Override
    public boolean sendNow(String queue) {
      boolean wasWaiting = isHintWaiting;
      isHintWaiting = false;
      if (wasWaiting) {
        clients.forEach(each -> each.duty.changedBy(name, 0, nanos / 1000));
      }
      return wasWaiting;
    }

    @Override
    public void noRoom(String client, String queue, long nextMillis) {
      long until = now().until(nextMillis);
      clients.forEach(each -> each.duty.noRoomAt(client, until, nanos / 1000));
    }

    @Override
    public void onDuty(String queue, long claimMicros) {
      clients.forEach(each -> each.duty.takenBy(name, claimMicros));
    }
  }

  private EngineTime now() {
    return new EngineTime(nanos / 1000);
  }

  @BeforeEach
  void start() {
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new Client(i));
    }
  }

  /** Runs all tasks until the queue is idle. Returns the number of claims. */
  private int claims(Runnable change) {
    claims = 0;
    nanos += MILLI;
    change.run();
    while (!tasks.isEmpty()) {
      Task next = tasks.remove();
      nanos = Math.max(nanos, next.at);
      next.run.run();
    }
    return claims;
  }

  /** A client without a worker schedules a message. */
  private int claimsOfHint() {
    return claims(
        () -> {
          due++;
          clients.forEach(each -> each.duty.changedBy("producer", 0, nanos / 1000));
        });
  }

  @Test
  void hint_ofAnotherClient_oneClientClaimsOnceOneIsOnDuty() {
    int unused = claimsOfHint();
    assertThat(claimsOfHint()).isOne();
    assertThat(due).isZero();
  }

  @Test
  void ownChange_workerIsIdle_onlyThisClientClaims() {
    assertThat(claims(() -> clients.get(3).schedule())).isOne();
    int unused = claimsOfHint();
    assertThat(claims(() -> clients.get(3).schedule())).isOne();
    assertThat(claims(() -> clients.get(5).schedule())).isOne();
    assertThat(due).isZero();
  }

  @Test
  void ownChange_workerHasNoRoom_anotherClientClaims() {
    int unused = claimsOfHint();
    clients.get(3).hasRoom = false;
    assertThat(claims(() -> clients.get(3).schedule())).isOne();
    assertThat(due).isZero();
  }

  @Test
  void hint_clientOnDutyHasNoRoom_anotherTakesTheDutyWithin20Milliseconds() {
    int unused = claimsOfHint();
    clients.get(0).hasRoom = false;
    long began = nanos;
    assertThat(claimsOfHint()).isOne();
    assertThat(nanos - began).isLessThan(25 * MILLI);
    assertThat(claimsOfHint()).isOne();
    assertThat(due).isZero();
  }

  @Test
  void hint_noClientHasRoom_endsWithoutClaims() {
    int unused = claimsOfHint();
    clients.forEach(each -> each.hasRoom = false);
    assertThat(claimsOfHint()).isZero();
    clients.get(7).hasRoom = true;
    assertThat(claims(() -> clients.get(7).wake(0))).isOne();
    assertThat(due).isZero();
  }

  /** A client that was killed is still on duty for the others. */
  @Test
  void check_clientOnDutyIsGone_anotherTakesTheDutyForAnOverdueMessage() {
    int unused = claimsOfHint();
    clients.remove(0);
    assertThat(claimsOfHint()).isZero();
    Client other = clients.get(4);
    long dueMillis = now().millis();
    assertThat(other.duty.checked(0, dueMillis, now())).isEqualTo(Reply.NONE);
    nanos += 300 * MILLI;
    assertThat(other.duty.checked(0, dueMillis, now())).isZero();
    assertThat(claims(other::claim)).isOne();
    assertThat(claimsOfHint()).isOne();
    assertThat(due).isZero();
  }

  /** All clients but one are busy, and the client on duty is gone. */
  @Test
  void check_clientHasNoRoomForAnOverdueMessage_anotherClaimsIt() {
    int unused = claimsOfHint();
    clients.remove(0);
    clients.forEach(each -> each.hasRoom = each == clients.get(9));
    assertThat(claimsOfHint()).isZero();
    long dueMillis = now().millis();
    nanos += 300 * MILLI;
    Client full = clients.get(4);
    assertThat(full.duty.checked(0, dueMillis, now())).isZero();
    assertThat(claims(() -> full.wake(0))).isOne();
    assertThat(due).isZero();
  }

  private int checksInAMinute() {
    int unused = claimsOfHint();
    clients.forEach(each -> each.duty.setClients(CLIENTS));
    int checks = 0;
    long last = nanos;
    for (int step = 0; step < 60 * CLIENTS; step++) {
      nanos += 1000 * MILLI / CLIENTS;
      Client one = clients.get(step % CLIENTS);
      if (one.duty.isCheckDue()) {
        one.duty.checked();
        checks += one == clients.get(0) ? 0 : 1;
        assertThat(nanos - last).isLessThan(1_500 * MILLI);
        last = nanos;
      }
    }
    return checks;
  }

  /** Each client asks once a second whether to check. */
  @Test
  void check_manyClientsOnStandby_areSpreadOverAllOfThem() {
    assertThat(checksInAMinute()).isBetween(2 * 60, 5 * 60);
  }

  @Test
  void check_failed_isRepeated() {
    int unused = claimsOfHint();
    Client standby = clients.get(CLIENTS - 1);
    standby.duty.setClients(CLIENTS);
    nanos += 3_000 * MILLI;
    assertThat(standby.duty.isCheckDue()).isTrue();
    assertThat(standby.duty.isCheckDue()).isTrue();
    standby.duty.checked();
    assertThat(standby.duty.isCheckDue()).isFalse();
  }

  @Test
  void check_clientOnDutyOrFewClients_eachCheckIsMade() {
    int unused = claimsOfHint();
    clients.forEach(each -> each.duty.setClients(CLIENTS));
    clients.get(0).duty.checked();
    assertThat(clients.get(0).duty.isCheckDue()).isTrue();
    Client standby = clients.get(1);
    standby.duty.setClients(4);
    standby.duty.checked();
    assertThat(standby.duty.isCheckDue()).isTrue();
  }

  @Test
  void check_clientOnDuty_wakesUpAtTheTimeOfTheNextMessage() {
    int unused = claimsOfHint();
    assertThat(clients.get(0).duty.checked(5_000, now().millis() + 5, now())).isEqualTo(5_000);
    assertThat(clients.get(1).duty.checked(5_000, now().millis() + 5, now())).isEqualTo(Reply.NONE);
  }

  /** The client becomes on duty only after its claim, when its notification comes back. */
  @Test
  void claimed_takesTheDuty_knowsTheTimeOfTheNextMessage() {
    int unused = claimsOfHint();
    Client other = clients.get(4);
    assertThat(other.duty.checked(0, 0, new EngineTime(1_000_000))).isZero();
    Reply.Leased taken = new Reply.Leased("a", Content.of(new byte[0]), 0, 1, new byte[0]);
    Reply.Claimed reply = new Reply.Claimed(List.of(taken), List.of(), 1, 0, 500_000);
    assertThat(other.duty.claimed(other.duty.begin(), reply)).isEqualTo(500_000);
  }

  @Test
  void giveUp_clientOnDutyClosesItsWorker_theNextHintIsNotLost() {
    int unused = claimsOfHint();
    Client closed = clients.remove(0);
    int unused2 = claims(closed.duty::stopped);
    assertThat(claimsOfHint()).isOne();
    assertThat(due).isZero();
  }

  @Test
  void stopped_clientOnDutyKnowsTheNextTime_theOthersWakeUpThen() {
    int unused = claimsOfHint();
    Client closed = clients.get(0);
    closed.duty.changed(now().millis() + 300, now());
    long began = nanos;
    assertThat(claims(closed.duty::stopped)).isPositive();
    assertThat(nanos - began).isBetween(299 * MILLI, 340 * MILLI);
  }

  /** For example a command, or a loop of claims that do not wait. */
  @Test
  void claimed_clientHasNoWaitingClaimers_leavesTheDutyToOthers() {
    Client polling = clients.get(3);
    polling.registration.close();
    due++;
    assertThat(claims(polling::claim)).isOne();
    int unused = claimsOfHint();
    assertThat(due).isZero();
    assertThat(claimsOfHint()).isOne();
  }

  @Test
  void alone_hintsAndTimesPassUnchanged() {
    clients.subList(1, CLIENTS).clear();
    Client alone = clients.get(0);
    assertThat(claimsOfHint()).isOne();
    assertThat(claimsOfHint()).isOne();
    assertThat(alone.duty.checked(5_000, now().millis() + 5, now())).isEqualTo(5_000);
    List<Long> hints = new ArrayList<>();
    alone.wakeUps.add(hints::add, alone);
    alone.duty.changed(now().millis() + 50, now());
    assertThat(hints).singleElement().satisfies(hint -> assertThat(hint).isPositive());
  }
}
