package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spi.DueTime;
import io.punctual.spi.Reply;
import io.punctual.spi.WakeUp;
import io.punctual.testkit.redis.RedisProcess;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
final class TurnTest {
  private final Turn turn = new Turn("me");
  private final Listener listener = new Listener();
  private final Hints hints = new Hints(listener, turn);

  private static final class Listener implements WakeUp {
    private final List<Long> woken = new CopyOnWriteArrayList<>();
    private final List<Long> postponed = new CopyOnWriteArrayList<>();

    @Override
    public void wakeUp(long untilNextMicros) {
      woken.add(untilNextMicros);
    }

    @Override
    public void postponed(long untilNextMicros) {
      postponed.add(untilNextMicros);
    }
  }

  @Test
  void after_nobodyElseHasTakenAnything_isAtOnce() {
    assertThat(turn.after(50)).isEqualTo(50);
  }

  @Test
  void after_anotherHasTaken_isLaterUntilThisOneTakes() {
    assertThat(turn.isTakenBy("other", 1, true)).isTrue();
    assertThat(turn.after(50)).isBetween(25_050L, 50_050L);
    assertThat(turn.after(Reply.NONE)).isEqualTo(Reply.NONE);
    turn.take(2);
    assertThat(turn.after(50)).isEqualTo(50);
  }

  @Test
  void after_anotherHasNoRoomForMore_isALittleLater() {
    assertThat(turn.isTakenBy("other", 1, false)).isTrue();
    assertThat(turn.after(0)).isBetween(3_000L, 8_000L);
  }

  @Test
  void isWorthTelling_theNextIsDueSoon_isNot() {
    assertThat(Turn.isWorthTelling(Reply.NONE, true)).isTrue();
    assertThat(Turn.isWorthTelling(20_000, true)).isTrue();
    assertThat(Turn.isWorthTelling(19_999, true)).isFalse();
    assertThat(Turn.isWorthTelling(19_999, false)).isTrue();
    assertThat(Turn.isWorthTelling(0, false)).isFalse();
  }

  @Test
  void message_anotherHasTaken_postpones() {
    hints.message("none 1 other".getBytes(UTF_8));
    hints.message("70000 2 other".getBytes(UTF_8));
    assertThat(listener.postponed).first().isEqualTo(Reply.NONE);
    assertThat(listener.postponed.get(1)).isBetween(95_000L, 120_000L);
    hints.message("70000 3 other full".getBytes(UTF_8));
    assertThat(listener.postponed.get(2)).isBetween(73_000L, 78_000L);
    assertThat(listener.woken).isEmpty();
  }

  @Test
  void message_ownTaking_isNoNews() {
    hints.message("none 1 me".getBytes(UTF_8));
    hints.message("50 2 me full".getBytes(UTF_8));
    assertThat(listener.postponed).isEmpty();
    assertThat(turn.after(50)).isEqualTo(50);
  }

  @Test
  void message_olderThanWhatThisOneTook_isNoNews() {
    turn.take(5);
    hints.message("70000 4 other".getBytes(UTF_8));
    assertThat(listener.postponed).isEmpty();
    assertThat(turn.after(50)).isEqualTo(50);
  }

  @Test
  void take_olderThanWhatAnotherTook_staysBehind() {
    hints.message("70000 6 other".getBytes(UTF_8));
    turn.take(5);
    assertThat(turn.after(50)).isGreaterThan(25_000);
  }

  @Test
  void message_foreign_wakesAtOnce() {
    hints.message("what?".getBytes(UTF_8));
    assertThat(listener.woken).containsExactly(0L);
  }

  @Test
  void news_aNewerClaimHasTakenSomething_areNotTold() {
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = RedisStore.builder().url(redis.url()).open()) {
      LaneUser user = new LaneUser(store, "q");
      user.schedule("a", 10);
      long older = user.claim(10).token();
      user.schedule("b", 10);
      long newer = user.claim(10).token();
      assertThat(tell(user, older)).isZero();
      assertThat(tell(user, newer)).isOne();
    }
  }

  /** Returns whether anybody was told. */
  private static long tell(LaneUser user, long token) {
    RedisLane lane = (RedisLane) user.lane();
    List<byte[]> argv =
        lane.argv(
            "PUBLISH channel".getBytes(UTF_8),
            Long.toString(token).getBytes(UTF_8),
            "me".getBytes(UTF_8),
            new byte[0]);
    return lane.look(LaneScripts.NEWS, argv).join().nextLong();
  }

  @Test
  void claim_takesTheLastThatIsDue_tellsOtherClients() {
    try (RedisProcess redis = RedisProcess.start();
        RedisStore one = RedisStore.builder().url(redis.url()).open();
        RedisStore other = RedisStore.builder().url(redis.url()).open()) {
      LaneUser taker = new LaneUser(one, "q");
      LaneUser waiter = new LaneUser(other, "q");
      Listener own = new Listener();
      try (var a = taker.lane().onWakeUp(own);
          var b = waiter.lane().onWakeUp(listener)) {
        Awaitility.await().until(() -> !own.woken.isEmpty() && !listener.woken.isEmpty());
        taker.schedule("due", 10);
        taker.apply(null, LaneUser.scheduling("far", new DueTime(true, 40_000), 10));
        assertThat(taker.claim(10).messages()).hasSize(1);
        Awaitility.await().until(() -> !listener.postponed.isEmpty());
        assertThat(listener.postponed.get(0)).isBetween(30_000_000L, 40_050_000L);
        assertThat(waiter.claim(10).untilNextMicros()).isBetween(30_025_000L, 40_050_000L);
        taker.schedule("soon", 10);
        Awaitility.await().until(() -> listener.woken.size() > 2);
        assertThat(own.postponed).isEmpty();
      }
    }
  }
}
