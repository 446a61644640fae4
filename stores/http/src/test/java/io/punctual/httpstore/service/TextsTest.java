package io.punctual.httpstore.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.httpstore.wire.Hints;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Requests;
import io.punctual.httpstore.wire.Texts;
import io.punctual.httpstore.wire.Wire;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Announcement;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the texts that the service renews and looks at while a client listens. */
final class TextsTest {
  private static final Place PLACE = new Place("orders", 0, 1);
  private static final Duration KEEP = Duration.ofSeconds(30);

  private final ManualClock clock = new ManualClock();
  private final StoreService service =
      new StoreService(MemoryStore.builder().build(), clock, clock, Duration.ZERO);
  private long number;

  private CompletableFuture<Served> serve(Request<?> request) {
    return service.serve(
        Requests.name(request.getClass()), Wire.write(request.getClass(), request), Access.ALL);
  }

  private <A> Object ask(Request<A> request) {
    return Wire.answer(Requests.answer(request.getClass()), serve(request).join().body());
  }

  private CompletableFuture<Served> listen(boolean isFresh) {
    return serve(new Request.Listen("l", ++number, isFresh, 50_000, List.of(PLACE)));
  }

  /** A request that is answered at once. */
  private void listenShortly() {
    assertThat(listen(true)).isCompleted();
  }

  private void announce(String client, String text, String listener) {
    Object unused = ask(new Request.Announce(client, text, KEEP, listener));
  }

  @SuppressWarnings("unchecked") // The request determines the type of its answer.
  private List<String> texts() {
    return ((List<Announcement>) ask(new Request.ListAnnouncements()))
        .stream().map(Announcement::text).toList();
  }

  @Test
  void renewals_betweenTwoRequestsOfTheClient_goOn() {
    listenShortly();
    announce("c", "java 1\nworker", "l");
    for (int i = 0; i < 8; i++) {
      clock.advance(Duration.ofMillis(9_500));
      listenShortly();
      clock.advance(Duration.ofMillis(600));
    }
    assertThat(texts()).containsExactly("java 1\nworker");
  }

  @Test
  void renewals_clientIsGone_end() {
    CompletableFuture<Served> first = listen(false);
    announce("c", "java 1\nworker", "l");
    assertThat(first).isCompleted();
    CompletableFuture<Served> waiting = listen(false);
    waiting.cancel(false);
    for (int i = 0; i < 8; i++) {
      clock.advance(Duration.ofSeconds(5));
    }
    assertThat(texts()).isEmpty();
  }

  /** The client has announced the newer text through another server. */
  @Test
  void renewals_ofAnOlderText_end() {
    listenShortly();
    announce("c", "java 1\nolder", "l");
    CompletableFuture<Served> waiting = listen(false);
    assertThat(waiting).isNotCompleted();
    announce("c", "java 1\nnewer", "elsewhere");
    clock.advance(Duration.ofSeconds(11));
    assertThat(texts()).containsExactly("java 1\nnewer");
  }

  @Test
  void textsThatChange_betweenTwoRequestsOfTheClient_areTold() {
    listenShortly();
    Texts read = (Texts) ask(new Request.ReadAnnouncements(List.of("bell"), "l"));
    assertThat(read).isEqualTo(new Texts(List.of(), true));
    announce("bell", "java 1\npause", "operator");
    clock.advance(Duration.ofMillis(4_900));
    listenShortly();
    clock.advance(Duration.ofMillis(200));
    CompletableFuture<Served> next = listen(false);
    assertThat(next).isCompleted();
    assertThat(((Hints) Wire.answer(Hints.class, next.join().body())).areTextsNew()).isTrue();
  }

  /** Lets a client be frozen after an answer; returns what its next request is told. */
  private boolean areTextsNewAfter(Duration time) {
    clock.advance(time);
    CompletableFuture<Served> next = listen(false);
    if (!next.isDone()) {
      return false;
    }
    return ((Hints) Wire.answer(Hints.class, next.join().body())).areTextsNew();
  }

  @Test
  void renewalEndsWhileTheClientIsFrozen_isTold_onceAndTheClientAnnouncesAgain() {
    listenShortly();
    announce("c", "java 1\nworker", "l");
    assertThat(areTextsNewAfter(Duration.ofSeconds(12))).isTrue();
    Object unused = ask(new Request.ReadAnnouncements(List.of("bell"), "l"));
    announce("c", "java 1\nworker", "l");
    assertThat(listen(false)).as("is told once").isNotDone();
    clock.advance(Duration.ofSeconds(45));
    assertThat(texts()).containsExactly("java 1\nworker");
  }

  /** The client has read texts before its next request, and so is told about its own text only. */
  @Test
  void renewalEndsWhileTheClientIsFrozen_isTold_evenAfterARead() {
    listenShortly();
    announce("c", "java 1\nworker", "l");
    clock.advance(Duration.ofSeconds(12));
    Object unused = ask(new Request.ReadAnnouncements(List.of("bell"), "l"));
    assertThat(areTextsNewAfter(Duration.ZERO)).isTrue();
  }

  @Test
  void looksEndWhileTheClientIsFrozen_isTold() {
    listenShortly();
    Object unused = ask(new Request.ReadAnnouncements(List.of("bell"), "l"));
    assertThat(areTextsNewAfter(Duration.ofSeconds(12))).isTrue();
  }

  @Test
  void serverHasForgottenTheFrozenClient_isTold() {
    listenShortly();
    Duration keep = Duration.ofMinutes(10);
    Object unused = ask(new Request.Announce("c", "java 1\nworker", keep, "l"));
    assertThat(areTextsNewAfter(Duration.ofSeconds(31))).isTrue();
  }

  @Test
  void renewalsAndLooksThatGoOn_areNotTold() {
    listenShortly();
    announce("c", "java 1\nworker", "l");
    Object unused = ask(new Request.ReadAnnouncements(List.of("bell"), "l"));
    assertThat(areTextsNewAfter(Duration.ofMillis(4_900))).isFalse();
  }

  @Test
  void texts_readWhereTheClientDoesNotListen_areNotWatched() {
    assertThat(ask(new Request.ReadAnnouncements(List.of("bell"), "l")))
        .isEqualTo(new Texts(List.of(), false));
  }
}
