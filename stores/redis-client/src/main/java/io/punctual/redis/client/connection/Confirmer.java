package io.punctual.redis.client.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.Durability;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Confirms the durability of changes that were made over any connection. A confirmer has its own
 * connection, so no call waits behind its WAIT.
 *
 * <p>WAIT covers only changes of its own connection. So the request of a {@link Witness} first
 * writes over this connection. Before it writes, it verifies that the server has the changes,
 * because during a fail-over the connections may lead to different servers. The confirmer asks in
 * rounds, one at a time, with a question for each subject. Callers that ask during a round share
 * the questions of the next round. Thread-safe.
 */
public final class Confirmer {
  private static final String GONE =
      "the server does not have it any more: for example, a replica has taken over, or data was"
          + " deleted";

  /**
   * The witness with the highest number that callers ask about, and the answers to all of these
   * callers. Guarded by the confirmer's lock until the question is sent.
   */
  private static final class Question {
    Witness witness;
    final List<CompletableFuture<List<@Nullable String>>> answers = new ArrayList<>();

    Question(Witness witness) {
      this.witness = witness;
    }

    void answer(List<@Nullable String> reasons) {
      answers.forEach(answer -> answer.complete(reasons));
    }

    void fail(Throwable failure) {
      answers.forEach(answer -> answer.completeExceptionally(Failures.unwrap(failure)));
    }
  }

  /** The reply to a question, which shows the changes that the server has. */
  private record Witnessed(Question question, RedisReply reply) {
    boolean isProven(int place) {
      List<@Nullable Object> values = reply.values();
      return place < values.size() && question.witness.proof().get(place).equals(values.get(place));
    }

    boolean isAnyProven() {
      boolean any = false;
      for (int place = 0; place < question.witness.proof().size(); place++) {
        any |= isProven(place);
      }
      return any;
    }

    /** Answers with this reason, or null, for the changes that the server has. */
    void answer(@Nullable String why) {
      List<@Nullable String> reasons = new ArrayList<>();
      for (int place = 0; place < question.witness.proof().size(); place++) {
        reasons.add(isProven(place) ? why : GONE);
      }
      question.answer(reasons);
    }
  }

  private final ReconnectingConnection link;
  private final Durability durability;
  private Map<Object, Question> waiting = new LinkedHashMap<>();
  private boolean asking;

  Confirmer(ReconnectingConnection link, Durability durability) {
    this.link = link;
    this.durability = durability;
  }

  /**
   * Asks whether the changes of a witness are durable.
   *
   * @return for each place of the witness's proof: null once the change is durable, or the reason
   *     why that is not certain, for the user. The future fails with {@link RedisCallException} if
   *     the question failed; the caller may then ask again
   */
  public CompletableFuture<List<@Nullable String>> confirm(Witness witness) {
    CompletableFuture<List<@Nullable String>> answer = new CompletableFuture<>();
    synchronized (this) {
      Question question =
          waiting.computeIfAbsent(witness.subject(), subject -> new Question(witness));
      if (witness.number() > question.witness.number()) {
        question.witness = witness;
      }
      question.answers.add(answer);
      if (asking) {
        return answer;
      }
      asking = true;
    }
    askNext();
    return answer;
  }

  private void askNext() {
    List<Question> those;
    synchronized (this) {
      those = List.copyOf(waiting.values());
      waiting = new LinkedHashMap<>();
      asking = !those.isEmpty();
    }
    if (those.isEmpty()) {
      return;
    }
    List<CompletableFuture<@Nullable Witnessed>> witnessed = new ArrayList<>();
    those.forEach(question -> witnessed.add(witness(question)));
    CompletableFuture.allOf(witnessed.toArray(CompletableFuture[]::new))
        .thenCompose(all -> confirmAll(witnessed))
        .whenComplete(
            (all, failure) -> {
              if (failure != null) {
                those.forEach(question -> question.fail(failure));
              }
              askNext();
            });
  }

  /**
   * Verifies that the server has the changes, and then writes over this connection. Completes with
   * null if the server lacks all of them or the request fails; the question has then ended.
   */
  private CompletableFuture<@Nullable Witnessed> witness(Question question) {
    return run(question.witness)
        .handle(
            (reply, failure) -> {
              if (failure != null) {
                question.fail(failure);
                return null;
              }
              Witnessed witnessed = new Witnessed(question, reply);
              if (!witnessed.isAnyProven()) {
                witnessed.answer(GONE);
                return null;
              }
              return witnessed;
            });
  }

  /**
   * Runs the script of a witness. An exception becomes a failed future, so that the next rounds
   * take place.
   */
  private CompletableFuture<RedisReply> run(Witness witness) {
    try {
      return link.run(witness.script(), witness.keys(), witness.argv());
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<?> confirmAll(List<CompletableFuture<@Nullable Witnessed>> all) {
    Map<Connection, List<Witnessed>> byConnection = new HashMap<>();
    for (CompletableFuture<@Nullable Witnessed> each : all) {
      Witnessed witnessed = each.join();
      if (witnessed != null) {
        byConnection
            .computeIfAbsent(witnessed.reply().connection(), connection -> new ArrayList<>())
            .add(witnessed);
      }
    }
    List<CompletableFuture<?>> confirmed = new ArrayList<>();
    byConnection.forEach(
        (connection, those) ->
            confirmed.add(
                connection
                    .confirmation()
                    .ask(durability, key(those.get(0)))
                    .handle((why, failure) -> answerAll(those, why, failure))));
    return CompletableFuture.allOf(confirmed.toArray(CompletableFuture[]::new));
  }

  private static String key(Witnessed witnessed) {
    return new String(witnessed.question().witness.keys().get(0), UTF_8);
  }

  private static @Nullable Void answerAll(
      List<Witnessed> all, @Nullable String why, @Nullable Throwable failure) {
    for (Witnessed each : all) {
      if (failure == null) {
        each.answer(why);
      } else {
        each.question().fail(failure);
      }
    }
    return null;
  }

  /** Closes the current connection, so that the next question uses a new connection. */
  void renew() {
    link.renew();
  }

  /** Closes the confirmer; completes when its connection has ended. */
  CompletableFuture<Void> end() {
    return link.end();
  }
}
