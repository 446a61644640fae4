package io.punctual.redis.client.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.Durability;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Script;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Confirms the durability of session calls that ran over any connection. A confirmer has its own
 * connection, so session calls do not wait behind its WAIT.
 *
 * <p>WAIT covers only changes of its own connection. So a script (witness.lua) first writes over
 * this connection. Before it writes, the script verifies that the server has the call, because
 * during a fail-over the connections may lead to different servers. The confirmer asks in rounds,
 * one at a time, with a question for each session. Callers that ask during a round share the
 * questions of the next round. Thread-safe.
 */
public final class Confirmer {
  private static final Script WITNESS = Script.of(Confirmer.class::getResourceAsStream, "witness");

  /** The scripts that the confirmer's connection loads in advance. */
  static final List<Script> SCRIPTS = List.of(WITNESS);

  private static final String GONE =
      "the server does not have it any more: a replica has taken over, or data was deleted";

  /**
   * The highest call number of a session that callers ask about, and the answers to all of these
   * callers. Guarded by the confirmer's lock until the question is sent.
   */
  private static final class Question {
    long number;
    final List<CompletableFuture<@Nullable String>> answers = new ArrayList<>();

    void answer(@Nullable String why) {
      answers.forEach(answer -> answer.complete(why));
    }

    void fail(Throwable failure) {
      answers.forEach(answer -> answer.completeExceptionally(Failures.unwrap(failure)));
    }
  }

  /** A session whose call the server has, and the connection to this server. */
  private record Witnessed(Connection wire, String session, Question question) {}

  private final ReconnectingConnection link;
  private final Durability durability;
  private Map<String, Question> waiting = new LinkedHashMap<>();
  private boolean asking;

  Confirmer(ReconnectingConnection link, Durability durability) {
    this.link = link;
    this.durability = durability;
  }

  /**
   * Asks whether the call with this number, and all earlier calls of the session, are durable.
   *
   * @param session the key of the session
   * @return null once the calls are durable, or the reason why that is not certain, for the user.
   *     The future fails with {@link RedisCallException} if the question failed; the caller may
   *     then ask again
   */
  public CompletableFuture<@Nullable String> confirm(String session, long number) {
    CompletableFuture<@Nullable String> answer = new CompletableFuture<>();
    synchronized (this) {
      Question question = waiting.computeIfAbsent(session, key -> new Question());
      question.number = Math.max(question.number, number);
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
    Map<String, Question> those;
    synchronized (this) {
      those = waiting;
      waiting = new LinkedHashMap<>();
      asking = !those.isEmpty();
    }
    if (those.isEmpty()) {
      return;
    }
    List<CompletableFuture<@Nullable Witnessed>> witnessed = new ArrayList<>();
    those.forEach((session, question) -> witnessed.add(witness(session, question)));
    CompletableFuture.allOf(witnessed.toArray(CompletableFuture[]::new))
        .thenCompose(all -> confirmAll(witnessed))
        .whenComplete(
            (all, failure) -> {
              if (failure != null) {
                those.values().forEach(question -> question.fail(failure));
              }
              askNext();
            });
  }

  /**
   * Verifies that the server has the call, and then writes over this connection. Completes with
   * null if the server lacks the call or the request fails; the question has then ended.
   */
  private CompletableFuture<@Nullable Witnessed> witness(String session, Question question) {
    List<byte[]> keys = List.of(session.getBytes(UTF_8));
    List<byte[]> argv = List.of(Long.toString(question.number).getBytes(UTF_8));
    return link.run(WITNESS, keys, argv)
        .handle(
            (answer, failure) -> {
              if (failure != null) {
                question.fail(failure);
                return null;
              }
              if (!Long.valueOf(1).equals(answer.values().get(0))) {
                question.answer(GONE);
                return null;
              }
              return new Witnessed(answer.wire(), session, question);
            });
  }

  private CompletableFuture<?> confirmAll(List<CompletableFuture<@Nullable Witnessed>> all) {
    Map<Connection, List<Witnessed>> byWire = new HashMap<>();
    for (CompletableFuture<@Nullable Witnessed> each : all) {
      Witnessed witnessed = each.join();
      if (witnessed != null) {
        byWire.computeIfAbsent(witnessed.wire(), wire -> new ArrayList<>()).add(witnessed);
      }
    }
    List<CompletableFuture<?>> confirmed = new ArrayList<>();
    byWire.forEach(
        (wire, those) ->
            confirmed.add(
                wire.confirmation()
                    .ask(durability, those.get(0).session())
                    .handle((why, failure) -> answerAll(those, why, failure))));
    return CompletableFuture.allOf(confirmed.toArray(CompletableFuture[]::new));
  }

  private static @Nullable Void answerAll(
      List<Witnessed> all, @Nullable String why, @Nullable Throwable failure) {
    for (Witnessed each : all) {
      if (failure == null) {
        each.question().answer(why);
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
