package io.punctual.redis.client.connection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.scripted.ManualTimer;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedClient;
import io.punctual.redis.client.scripted.ScriptedLink;
import io.punctual.redis.client.scripted.ScriptedServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests what subscribers notice of a connection that is lost, silent, or replaced. */
final class SubscriptionsTest {
  private static final Duration RECONNECT = Duration.ofMillis(50);
  private static final Duration PULSE = Duration.ofSeconds(10);

  private final ManualTimer timer = new ManualTimer();
  private final ScriptedClient client = new ScriptedClient();
  private final ScriptedServer server = client.server(6379);
  private final List<Throwable> failures = new ArrayList<>();
  private final List<String> seen = new ArrayList<>();
  private boolean sharded;
  private final Subscriptions subscriptions =
      new Subscriptions(
          client, RedisURI.create("localhost", 6379), timer, () -> sharded, failures::add);

  private Subscriber subscriber(String name) {
    return new Subscriber() {
      @Override
      public void begun() {
        seen.add(name + " begun");
      }

      @Override
      public void message(byte[] message) {
        seen.add(name + " " + new String(message, UTF_8));
      }
    };
  }

  private ChannelSubscription add(String channel, String name) {
    return subscriptions.add(channel, subscriber(name));
  }

  /** Subscribes to a channel, which the server confirms. */
  private ScriptedLink begin(String channel) {
    add(channel, channel);
    server.link().confirm("subscribe", channel);
    seen.clear();
    return server.link();
  }

  @Test
  void add_firstSubscriber_connectsAndBeginsWhenTheServerConfirms() {
    add("c", "one");
    assertThat(server.link().requests()).containsExactly("SUBSCRIBE c");
    assertThat(seen).isEmpty();
    server.link().confirm("subscribe", "c");
    assertThat(seen).containsExactly("one begun");
  }

  @Test
  void add_channelIsSubscribed_beginsAtOnceWithoutARequest() {
    begin("c");
    add("c", "two");
    assertThat(seen).containsExactly("two begun");
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void add_whileConnecting_subscribesToAllChannelsOverOneConnection() {
    server.hold();
    add("a", "one");
    add("b", "two");
    server.attempt().accept();
    assertThat(server.connects()).isEqualTo(1);
    assertThat(server.requests()).containsExactlyInAnyOrder("SUBSCRIBE a", "SUBSCRIBE b");
  }

  @Test
  void message_severalSubscribers_onlyThoseOfTheChannelReceiveIt() {
    begin("a");
    add("a", "second");
    begin("b");
    server.link().push("message", "a", "hint");
    assertThat(seen).containsExactlyInAnyOrder("a hint", "second hint");
  }

  @Test
  void message_sameSubscriberTwice_isCalledTwice() {
    Subscriber same = subscriber("same");
    subscriptions.add("c", same);
    subscriptions.add("c", same);
    server.link().confirm("subscribe", "c");
    seen.clear();
    server.link().push("message", "c", "hint");
    assertThat(seen).containsExactly("same hint", "same hint");
  }

  @Test
  void message_subscriberThrows_theNextSubscribersAreStillCalled() {
    for (int i = 0; i < 5; i++) {
      add("c", "good");
      subscriptions.add("c", new Throwing());
    }
    server.link().confirm("subscribe", "c");
    server.link().push("message", "c", "hint");
    assertThat(seen).hasSize(10);
    assertThat(server.link().isOpen()).isTrue();
  }

  /** An exception without a stack trace, which would fill the log. */
  private static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Fault() {
      super("a fault of a subscriber", null, false, false);
    }
  }

  private static final class Throwing implements Subscriber {
    @Override
    public void begun() {
      throw new Fault();
    }

    @Override
    public void message(byte[] message) {
      throw new Fault();
    }
  }

  @Test
  void lost_subscribersRemain_subscribesAgainAndBeginsAgain() {
    begin("c").lose();
    assertThat(server.connects()).isEqualTo(1);
    timer.advance(RECONNECT);
    assertThat(server.link().requests()).containsExactly("SUBSCRIBE c");
    assertThat(seen).isEmpty();
    server.link().confirm("subscribe", "c");
    assertThat(seen).containsExactly("c begun");
  }

  @Test
  void lost_addedBeforeTheNewConnection_waitsForItsConfirmation() {
    begin("c").lose();
    add("c", "two");
    assertThat(seen).isEmpty();
    timer.advance(RECONNECT);
    server.link().confirm("subscribe", "c");
    assertThat(seen).containsExactlyInAnyOrder("c begun", "two begun");
  }

  @Test
  void lost_noSubscriberRemains_doesNotConnectAgain() {
    ChannelSubscription only = add("c", "one");
    server.link().confirm("subscribe", "c");
    only.close();
    server.link().lose();
    timer.advance(Duration.ofMinutes(1));
    assertThat(server.connects()).isEqualTo(1);
  }

  @Test
  void lost_serverAway_triesUntilItReturns() {
    begin("c");
    server.kill();
    timer.advance(Duration.ofSeconds(20));
    assertThat(server.connects()).isBetween(15, 60);
    assertThat(failures).hasSize(server.connects() - 1);
    server.accept();
    timer.advance(Duration.ofSeconds(1));
    server.link().confirm("subscribe", "c");
    assertThat(seen).containsExactly("c begun");
  }

  @Test
  void connect_connectionEndsAtOnce_triesAgain() {
    server.hold();
    add("c", "one");
    server.attempt().completeEarly().lose();
    server.accept();
    timer.advance(Duration.ofSeconds(1));
    assertThat(server.link().requests()).containsExactly("SUBSCRIBE c");
  }

  @Test
  void close_otherSubscriberRemains_keepsTheSubscription() {
    begin("c");
    ChannelSubscription second = add("c", "second");
    seen.clear();
    second.close();
    server.link().push("message", "c", "hint");
    assertThat(seen).containsExactly("c hint");
    assertThat(server.requests()).containsExactly("SUBSCRIBE c");
  }

  @Test
  void close_lastSubscriber_unsubscribesOnce() {
    ChannelSubscription only = add("c", "one");
    server.link().confirm("subscribe", "c");
    only.close();
    only.close();
    assertThat(server.requests()).containsExactly("SUBSCRIBE c", "UNSUBSCRIBE c");
    server.link().push("message", "c", "late");
    assertThat(seen).containsExactly("one begun");
  }

  @Test
  void add_afterTheLastSubscriberLeft_subscribesAgain() {
    ChannelSubscription only = add("c", "one");
    server.link().confirm("subscribe", "c");
    only.close();
    server.link().confirm("unsubscribe", "c");
    add("c", "two");
    assertThat(server.requests()).containsExactly("SUBSCRIBE c", "UNSUBSCRIBE c", "SUBSCRIBE c");
    server.link().confirm("subscribe", "c");
    assertThat(seen).containsExactly("one begun", "two begun");
  }

  @Test
  void pulse_serverAnswers_keepsTheConnectionAndBeginsNotAgain() {
    begin("c");
    server.answer("SUBSCRIBE", Resp.list(Resp.text("subscribe"), Resp.text("c"), Resp.number(1)));
    timer.advance(PULSE.multipliedBy(5));
    assertThat(server.connects()).isEqualTo(1);
    assertThat(server.requests()).hasSize(6).containsOnly("SUBSCRIBE c");
    assertThat(seen).isEmpty();
  }

  @Test
  void pulse_serverSilent_replacesTheConnection() {
    ScriptedLink silent = begin("c");
    timer.advance(PULSE);
    assertThat(silent.isOpen()).isTrue();
    timer.advance(PULSE);
    assertThat(silent.isOpen()).isFalse();
    timer.advance(RECONNECT);
    assertThat(server.connects()).isEqualTo(2);
    server.link().confirm("subscribe", "c");
    assertThat(seen).containsExactly("c begun");
  }

  @Test
  void pulse_timerFails_isSentAgainOverTheNextConnection() {
    ScriptedLink first = begin("c");
    timer.fail(1);
    assertThatThrownBy(() -> timer.advance(PULSE)).hasMessage("of the test");
    first.lose();
    timer.advance(RECONNECT);
    ScriptedLink silent = server.link();
    timer.advance(PULSE.multipliedBy(2));
    assertThat(silent.isOpen()).isFalse();
  }

  @Test
  void pulse_onlyMessagesArrive_keepsTheConnection() {
    ScriptedLink busy = begin("c");
    timer.advance(PULSE);
    busy.push("message", "c", "hint");
    timer.advance(PULSE);
    assertThat(busy.isOpen()).isTrue();
  }

  @Test
  void subscribe_serverRefuses_isReported() {
    add("c", "one");
    server.link().reply(Resp.error("NOPERM No permissions to access a channel"));
    assertThat(failures)
        .singleElement()
        .satisfies(failure -> assertThat(failure).hasMessageContaining("NOPERM"));
    assertThat(seen).isEmpty();
  }

  @Test
  void sharded_subscribeAndMessage_useTheSlotOfTheChannel() {
    sharded = true;
    ChannelSubscription only = add("c", "one");
    server.link().confirm("ssubscribe", "c");
    server.link().push("smessage", "c", "hint");
    only.close();
    assertThat(server.requests()).containsExactly("SSUBSCRIBE c", "SUNSUBSCRIBE c");
    assertThat(seen).containsExactly("one begun", "one hint");
  }

  @Test
  void sharded_serverEndsASubscription_isReportedAndBeginsAgainElsewhereOrHere() {
    sharded = true;
    add("c", "one");
    server.link().confirm("ssubscribe", "c");
    server.link().end("sunsubscribe", "c");
    assertThat(failures)
        .singleElement()
        .satisfies(
            failure ->
                assertThat(failure)
                    .isInstanceOf(RedisCallException.NotSent.class)
                    .hasMessageContaining("channel c is served elsewhere"));
    timer.advance(PULSE);
    server.link().confirm("ssubscribe", "c");
    assertThat(seen).containsExactly("one begun", "one begun");
  }

  @Test
  void sharded_endIsWanted_isNotReported() {
    sharded = true;
    ChannelSubscription only = add("c", "one");
    server.link().confirm("ssubscribe", "c");
    only.close();
    server.link().confirm("sunsubscribe", "c");
    assertThat(failures).isEmpty();
  }

  @Test
  void renew_connected_subscribesOverANewConnection() {
    ScriptedLink former = begin("c");
    subscriptions.renew();
    assertThat(former.isOpen()).isFalse();
    timer.advance(RECONNECT);
    server.link().confirm("subscribe", "c");
    assertThat(seen).containsExactly("c begun");
    assertThat(server.connects()).isEqualTo(2);
  }

  @Test
  void end_connected_closesTheConnectionForGood() {
    ScriptedLink last = begin("c");
    assertThat(subscriptions.end()).isCompleted();
    assertThat(last.isOpen()).isFalse();
    timer.advance(Duration.ofMinutes(1));
    add("d", "late");
    assertThat(server.connects()).isEqualTo(1);
  }

  @Test
  void end_whileConnecting_closesTheLateConnection() {
    server.hold();
    add("c", "one");
    CompletableFuture<Void> end = subscriptions.end();
    assertThat(end).isNotDone();
    ScriptedLink late = server.attempt().accept();
    assertThat(late.isOpen()).isFalse();
    assertThat(late.requests()).isEmpty();
    assertThat(end).isCompleted();
  }

  @Test
  void lost_timerIsClosed_givesUpQuietly() {
    ScriptedLink last = begin("c");
    timer.close();
    last.lose();
    add("d", "late");
    assertThat(server.connects()).isEqualTo(1);
  }
}
