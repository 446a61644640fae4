package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Punctual;
import io.punctual.http.exchange.Client;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Settlements that come with a claim, which must not keep them or their results, and claims without
 * an answer.
 */
final class SettlingClaimsTest {
  private static final String CLAIMS = "/v1/queues/q/claims";

  /** A client that stays, so that its claims wait as long as they want. */
  private static final class StayingClient implements Client {
    final CountDownLatch waits = new CountDownLatch(1);

    @Override
    public boolean isWatched() {
      return true;
    }

    @Override
    public void onGone(Runnable action) {
      waits.countDown();
    }
  }

  private static CompletableFuture<ApiDriver.Response> claim(
      ApiDriver api, Client client, String json) {
    return api.start(
        TestHead.of("POST", CLAIMS, "Content-Type", "application/json"),
        json.replace('\'', '"').getBytes(StandardCharsets.UTF_8),
        client);
  }

  private static String acks(JsonNode deliveries) {
    List<String> acks = new ArrayList<>();
    for (JsonNode each : deliveries) {
      acks.add(
          "{'id':'%s','token':'%s','action':'ack'}"
              .formatted(each.get("id").asString(), each.get("token").asString()));
    }
    return "'settle':[" + String.join(",", acks) + "]";
  }

  /**
   * Returns a memory store which says that the message "locked" is locked when it is settled, and
   * gives the message "large" headers for which no answer has memory.
   */
  private static Store withStrangeMessages(WheelTimer timer) {
    Store store = Stores.open(StoreUrl.parse("memory:"), timer);
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("untilNext")) {
                return CompletableFuture.completedFuture(new long[] {Reply.NONE});
              }
              Object result = method.invoke(store, arguments);
              return method.getName().equals("partitions") ? locking(result) : result;
            });
  }

  @SuppressWarnings("unchecked")
  private static CompletionStage<List<Partition>> locking(Object partitions) {
    return ((CompletionStage<List<Partition>>) partitions)
        .thenApply(all -> all.stream().map(SettlingClaimsTest::locking).toList());
  }

  private static Partition locking(Partition partition) {
    return (Partition)
        Proxy.newProxyInstance(
            Partition.class.getClassLoader(),
            new Class<?>[] {Partition.class},
            (proxy, method, arguments) -> {
              Object result = method.invoke(partition, arguments);
              if (method.getName().equals("call")) {
                return ((CompletionStage<?>) result)
                    .thenApply(
                        reply ->
                            ((Call) arguments[0]).body() instanceof Call.Apply apply
                                ? locked(apply, reply)
                                : large(reply));
              }
              return result;
            });
  }

  /** Headers that nobody can read one after another. */
  private static final class LargeHeaders extends HashMap<String, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public Set<Map.Entry<String, String>> entrySet() {
      throw new OutOfMemoryError("injected");
    }
  }

  private static Object large(Object reply) {
    return reply instanceof Reply.Claimed claimed
        ? new Reply.Claimed(
            claimed.messages().stream().map(SettlingClaimsTest::large).toList(),
            claimed.unreadable(),
            claimed.token(),
            claimed.engineMicros(),
            claimed.untilNextMicros())
        : reply;
  }

  private static Reply.Leased large(Reply.Leased leased) {
    Content content = leased.content();
    return leased.id().equals("large")
        ? new Reply.Leased(
            leased.id(),
            new Content(
                content.payload(),
                new LargeHeaders(),
                content.notAfterMillis(),
                content.createdMillis()),
            leased.dueMillis(),
            leased.attempt(),
            leased.history())
        : leased;
  }

  private static Object locked(Call.Apply apply, Object reply) {
    if (!(reply instanceof Reply.Applied applied)) {
      return reply;
    }
    List<Outcome> outcomes = new ArrayList<>(applied.outcomes());
    for (int i = 0; i < outcomes.size(); i++) {
      if (apply.operations().get(i) instanceof Operation.Settlement settlement
          && settlement.id().equals("locked")) {
        outcomes.set(i, new Outcome.Busy("a transaction has it"));
      }
    }
    return new Reply.Applied(outcomes, applied.engineMicros(), applied.confirmation());
  }

  @Test
  void claimDoesNotWait_ifOneOfItsSettlementsIsToBeSentAgain() {
    WheelTimer timer = WheelTimer.create();
    try (Punctual punctual =
            Punctual.builder().store(withStrangeMessages(timer)).timer(timer).build();
        ApiDriver api = new ApiDriver(punctual, builder -> builder)) {
      api.post("/v1/queues/q/messages", "[{'id':'free','payload':1},{'id':'locked','payload':1}]")
          .is(200);
      JsonNode held = api.post(CLAIMS, "{'max':2}").is(200).at("/deliveries");
      assertThat(held).hasSize(2);

      ApiDriver.Response answer =
          ApiDriver.await(claim(api, new StayingClient(), "{'wait':'60s'," + acks(held) + "}"))
              .is(200);
      assertThat(answer.at("/deliveries")).isEmpty();
      assertThat(answer.at("/settled"))
          .extracting(each -> each.get("status").asInt())
          .containsExactlyInAnyOrder(200, 503);
    } finally {
      timer.close();
    }
  }

  @Test
  void claimWhoseAnswerHasNoMemory_releasesItsMessages() {
    WheelTimer timer = WheelTimer.create();
    try (Punctual punctual =
            Punctual.builder().store(withStrangeMessages(timer)).timer(timer).build();
        ApiDriver api = new ApiDriver(punctual, builder -> builder)) {
      api.post("/v1/queues/q/messages", "{'id':'large','payload':1}").is(201);
      api.post(CLAIMS, "{'lease':'1h'}").is(500);
      await().until(() -> api.get("/v1/queues/q").at("/ready").asInt() == 1);
    } finally {
      timer.close();
    }
  }

  @Test
  void claimAboveTheLimitOfPolls_settlesAndTellsIt() {
    HttpLimits limits = new HttpLimits(3, 1, 20_000, 4, 1 << 20, 64 << 20);
    try (ApiDriver api = new ApiDriver("memory:", builder -> builder.limits(limits))) {
      api.post("/v1/queues/q/messages", "{'id':'1','payload':1}").is(201);
      String settle = acks(api.post(CLAIMS, "{'wait':'5s'}").is(200).at("/deliveries"));
      StayingClient client = new StayingClient();
      CompletableFuture<ApiDriver.Response> poll = claim(api, client, "{'wait':'60s'}");
      await().until(() -> client.waits.getCount() == 0);

      ApiDriver.Response answer = api.post(CLAIMS, "{'wait':'60s'," + settle + "}").is(200);
      assertThat(answer.at("/settled/0/outcome").asString()).isEqualTo("DONE");
      assertThat(answer.at("/deliveries")).isEmpty();
      assertThat(answer.headers()).containsKey("Retry-After");
      api.get("/v1/queues/q/messages/1").is(404);
      api.post(CLAIMS, "{}").isProblem(429, "too-many", "1 polls");
      assertThat(poll).isNotDone();

      api.api.drain();
      ApiDriver.await(poll).is(200);
      api.post(CLAIMS, "{" + settle + "}").is(200);
      api.post(CLAIMS, "{}").is(200);
    }
  }
}
