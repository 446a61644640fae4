package io.punctual.server.jetty;

import io.punctual.http.exchange.Answer;
import io.punctual.view.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The problems that the server itself finds, as {@code application/problem+json}. */
public final class Problems {
  static final String CONTENT_TYPE = "application/problem+json";

  private Problems() {}

  /**
   * Returns an answer.
   *
   * @param detail what the sender should know, without characters that JSON must escape
   * @param headers names and values of further headers, in turn
   */
  public static Answer of(Outcome outcome, String detail, String... headers) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("Content-Type", CONTENT_TYPE);
    all.put("Cache-Control", "no-store");
    outcome.retryAfter().ifPresent(time -> all.put("Retry-After", Long.toString(time.toSeconds())));
    for (int i = 0; i < headers.length; i += 2) {
      all.put(headers[i], headers[i + 1]);
    }
    return answer(outcome.status(), all, json(outcome, outcome.status(), detail));
  }

  /** Returns an answer with a status that the outcomes of the API do not have. */
  static Answer of(int status, String detail) {
    Map<String, String> headers = Map.of("Content-Type", CONTENT_TYPE, "Cache-Control", "no-store");
    return answer(status, headers, json(status, detail));
  }

  private static Answer answer(int status, Map<String, String> headers, byte[] body) {
    return new Answer(status, headers, new Answer.Bytes(body), Answer.Written.NOTHING);
  }

  static byte[] json(int status, String detail) {
    return json(status < 500 ? Outcome.INVALID : Outcome.INTERNAL, status, detail);
  }

  private static byte[] json(Outcome outcome, int status, String detail) {
    String text =
        String.format(
            Locale.ROOT,
            "{\"type\":\"%s\",\"title\":\"%s\",\"status\":%d,\"detail\":\"%s\",\"outcome\":\"%s\"}",
            outcome.type(),
            outcome.title(),
            status,
            detail,
            outcome.done().text());
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
