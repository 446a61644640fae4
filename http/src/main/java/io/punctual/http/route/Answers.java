package io.punctual.http.route;

import io.punctual.http.exchange.Answer;
import io.punctual.http.json.JsonOutput;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Answers of handlers. */
public final class Answers {
  private static final Map<String, String> JSON = headers(Media.JSON);

  private Answers() {}

  /** Returns an answer with a tree of maps, lists, texts, numbers and booleans. */
  public static Answer json(int status, Map<String, ? extends @Nullable Object> tree) {
    return json(status, JsonOutput.tree(tree));
  }

  /** Returns an answer with JSON. */
  public static Answer json(int status, byte[] json) {
    return new Answer(status, JSON, new Answer.Bytes(json), Answer.Written.NOTHING);
  }

  /** Returns an answer with bytes of a type. */
  public static Answer bytes(int status, String type, byte[] content) {
    return new Answer(status, headers(type), new Answer.Bytes(content), Answer.Written.NOTHING);
  }

  /** Returns an answer without a body. */
  public static Answer none() {
    return new Answer(
        204,
        Map.of("Cache-Control", "no-store"),
        new Answer.Bytes(new byte[0]),
        Answer.Written.NOTHING);
  }

  /** Returns a stage with an answer that is there already. */
  public static CompletionStage<Answer> now(Answer answer) {
    return CompletableFuture.completedFuture(answer);
  }

  private static Map<String, String> headers(String type) {
    return Map.of("Content-Type", type, "Cache-Control", "no-store");
  }
}
