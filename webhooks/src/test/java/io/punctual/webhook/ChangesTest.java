package io.punctual.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Message;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changes of a target by several administrators, in one process or in several. */
final class ChangesTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final Fixture fixture = Fixture.manual();
  private final Records records = new Records(fixture.punctual, fixture.clock);

  @AfterEach
  void close() {
    fixture.close();
  }

  private WebhookSpec spec() {
    return Fixture.spec("crm", "orders", "http://127.0.0.1:80/");
  }

  private List<String> storedKeys() {
    return Fixture.get(records.target("crm")).orElseThrow().keys().stream()
        .map(WebhookKey::id)
        .toList();
  }

  @Test
  void rotationsOfTwoProcesses_addBothKeys() {
    WebhookService one = fixture.start();
    fixture.put(one, spec());
    WebhookService other = fixture.start();
    Fixture.patiently().until(() -> other.find("crm").isPresent());
    WebhookKey first = fixture.key();
    WebhookKey second = fixture.key();

    Fixture.get(one.rotate("crm", first, DAY));
    Fixture.get(other.rotate("crm", second, DAY)); // before it has looked again

    assertThat(storedKeys()).hasSize(3).contains(first.id(), second.id());
  }

  @Test
  void aChangeOfTheTarget_keepsTheKeysThatAnotherProcessHasAdded() {
    WebhookService one = fixture.start();
    fixture.put(one, spec());
    WebhookService other = fixture.start();
    Fixture.patiently().until(() -> other.find("crm").isPresent());
    WebhookKey key = fixture.key();

    Fixture.get(one.rotate("crm", key, DAY));
    Fixture.get(other.put(spec(), Optional.empty()));

    assertThat(storedKeys()).hasSize(2).contains(key.id());
  }

  @Test
  void twoThatMakeTheSameWebhook_haveOneSuccess() {
    WebhookService one = fixture.start();
    WebhookService other = fixture.start();
    fixture.put(one, spec());

    assertThatThrownBy(() -> fixture.put(other, spec()))
        .hasRootCauseInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage("somebody else has just made the webhook crm");
  }

  @Test
  void ofTwoThatMakeAWebhookTogether_oneSucceeds_andItsKeyStays() {
    WebhookService service = fixture.start();
    List<WebhookKey> keys = List.of(fixture.key(), fixture.key());
    List<CompletableFuture<?>> both = new ArrayList<>();
    keys.forEach(key -> both.add(service.put(spec(), Optional.of(key)).toCompletableFuture()));
    awaitEnds(both);

    assertThat(both).filteredOn(CompletableFuture::isCompletedExceptionally).hasSize(1);
    int winner = both.get(0).isCompletedExceptionally() ? 1 : 0;
    assertThat(storedKeys()).containsExactly(keys.get(winner).id());
    // It was judged before the first was done, as if there were no such webhook.
    assertThatThrownBy(() -> fixture.put(service, spec()))
        .hasRootCauseMessage("somebody else has just made the webhook crm");
    assertThat(storedKeys()).containsExactly(keys.get(winner).id());
  }

  @Test
  void ofTwoChangesThatBeginTogether_oneSucceeds() {
    WebhookService one = fixture.start();
    fixture.put(one, spec());
    WebhookService other = fixture.start();
    Fixture.patiently().until(() -> other.find("crm").isPresent());
    for (int i = 0; i < 100; i++) {
      List<CompletableFuture<?>> both = new ArrayList<>();
      for (WebhookService service : List.of(one, other)) {
        both.add(
            CompletableFuture.supplyAsync(() -> service.put(spec(), Optional.empty()))
                .thenCompose(Function.identity()));
      }
      awaitEnds(both);
      assertThat(both).anyMatch(change -> !change.isCompletedExceptionally());
    }
    assertThat(Fixture.get(records.marks())).isEmpty();
  }

  private static void awaitEnds(List<CompletableFuture<?>> changes) {
    Fixture.patiently().until(() -> changes.stream().allMatch(CompletableFuture::isDone));
  }

  @Test
  void aChangeBesideAnotherOne_isRefused_untilThatOneHasEnded() {
    WebhookService service = fixture.start();
    fixture.put(service, spec());
    Fixture.get(records.mark("crm/other", MINUTE));
    Fixture.get(records.mark("crm2/other", MINUTE));

    assertRefused(service);
    fixture.put(service, Fixture.spec("news", "news", "http://127.0.0.1:80/"));
    assertRefused(service);
    assertThat(Fixture.get(records.marks())).containsOnlyKeys("crm/other", "crm2/other");
    Fixture.get(records.removeMarks(List.of("crm/other")));
    Fixture.get(service.rotate("crm", fixture.key(), DAY));
    Fixture.get(service.delete("crm"));
    assertThat(service.find("crm")).isEmpty();
  }

  @Test
  void theMarkOfAChangeThatEndedInTheMiddle_isNeverDue_andKeepsOthersOutForItsTimeOnly() {
    WebhookService service = fixture.start();
    fixture.put(service, spec());
    Fixture.get(records.mark("crm", MINUTE));
    Fixture.get(records.mark("crm/gone", MINUTE));
    Fixture.get(records.mark("deleted/gone", MINUTE));

    fixture.advance(MINUTE.minusMillis(1));
    assertRefused(service);
    fixture.advance(Duration.ofMillis(1));
    assertThat(fixture.queue("punctual.server.webhooks").browse(State.READY, 10).items()).isEmpty();
    Fixture.get(service.rotate("crm", fixture.key(), DAY));
    assertThat(Fixture.get(records.marks())).isEmpty();
  }

  @Test
  void aChangeThatCanNotBegin_ends() {
    WebhookService service = fixture.start();
    fixture.put(service, spec());
    fixture.punctual.close();
    assertThat(service.delete("crm")).failsWithin(MINUTE);
  }

  @Test
  void aRecordThatCanNotBeRead_isNotReplaced() {
    TimedQueue<byte[]> queue = fixture.queue("punctual.server.webhooks");
    queue.schedule(record("{\"later\":1}"));
    WebhookService service = fixture.start();
    assertThatThrownBy(() -> fixture.put(service, spec()))
        .hasRootCauseInstanceOf(IllegalStateException.class)
        .hasStackTraceContaining("it is of a later version, or broken");
    assertThat(queue.find("target/crm").orElseThrow().payload())
        .isEqualTo("{\"later\":1}".getBytes(UTF_8));
    queue.cancel("target/crm");
    fixture.put(service, spec());
    assertThat(storedKeys()).hasSize(1);
  }

  @Test
  void theStateOfATargetThatCanNotBeRead_isKept() {
    fixture.queue("punctual.server.webhooks").schedule(record("{\"later\":1}"));
    WebhookState state = WebhookState.on(fixture.clock.instant());
    Fixture.get(records.save("crm", state, false));
    assertThat(Fixture.get(records.state("crm"))).contains(state);
  }

  private static Message<byte[]> record(String json) {
    return Message.of(json.getBytes(UTF_8)).id("target/crm").dueIn(Duration.ofDays(36_525));
  }

  private void assertRefused(WebhookService service) {
    assertThatThrownBy(() -> Fixture.get(service.rotate("crm", fixture.key(), DAY)))
        .hasRootCauseInstanceOf(IllegalStateException.class)
        .hasStackTraceContaining("send the change again");
    assertThat(storedKeys()).hasSize(1);
  }

  @Test
  void recordsThatWereReadBeforeAChange_bringNothingBack() {
    WebhookRecord old = new WebhookRecord(spec(), List.of(fixture.key()));
    WebhookRecord next = new WebhookRecord(spec(), List.of(fixture.key()));
    Targets targets = fixture.targets();
    targets.use(new Records.Loaded("1", Map.of(), Map.of()), targets.changes());
    long before = targets.changes();
    Records.Loaded empty = new Records.Loaded("1", Map.of(), Map.of());

    targets.put(old);
    targets.use(empty, before);
    assertThat(targets.find("crm").orElseThrow().record()).isEqualTo(old);

    before = targets.changes();
    targets.put(next);
    targets.use(new Records.Loaded("2", Map.of("crm", old), Map.of()), before);
    assertThat(targets.find("crm").orElseThrow().record()).isEqualTo(next);

    before = targets.changes();
    targets.remove("crm");
    targets.use(new Records.Loaded("3", Map.of("crm", next), Map.of()), before);
    assertThat(targets.find("crm")).isEmpty();
    assertThat(targets.version()).isEqualTo("1");
  }

  @Test
  void recordsThatCouldNotBeUsed_areUsedAtTheNextLook() {
    AtomicBoolean fails = new AtomicBoolean(true);
    Targets targets =
        fixture.targets(
            () -> {
              if (fails.getAndSet(false)) {
                throw new IllegalStateException("injected");
              }
              return fixture.clock.instant();
            });
    WebhookRecord record = new WebhookRecord(spec(), List.of(fixture.key()));
    Records.Loaded loaded = new Records.Loaded("1", Map.of("crm", record), Map.of());
    assertThatThrownBy(() -> targets.use(loaded, targets.changes()))
        .isInstanceOf(IllegalStateException.class);
    assertThat(targets.version()).isNull();
    targets.use(loaded, targets.changes());
    assertThat(targets.find("crm")).isPresent();
    assertThat(targets.version()).isEqualTo("1");
  }
}
