package io.punctual.http.webhook;

import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.view.Tree;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the messages of a queue, or of all queues of a prefix, are sent. Immutable.
 *
 * @param name the name of the target: 1 to 100 letters, digits, dots, dashes and underscores
 * @param queue the name of the queue, or the prefix
 * @param isPrefix whether {@code queue} is a prefix
 * @param url the address
 * @param headers the names of the headers of messages that become HTTP headers
 * @param concurrency how many calls may run at once in a process, 1 to 1000
 * @param rate how many calls may begin in each {@code per} in a process, 0 without a limit
 * @param per the time of the rate
 * @param timeout how long a call may take with its answer, 100 ms to 5 min
 * @param retries the times from a failed attempt to the next; 0 to 50
 */
public record WebhookSpec(
    String name,
    String queue,
    boolean isPrefix,
    String url,
    List<String> headers,
    int concurrency,
    int rate,
    Duration per,
    Duration timeout,
    List<Duration> retries) {
  /** The times between the attempts of a target that has no others: 8 attempts in 27.6 hours. */
  public static final List<Duration> DEFAULT_RETRIES =
      List.of(
          Duration.ofSeconds(5),
          Duration.ofMinutes(5),
          Duration.ofMinutes(30),
          Duration.ofHours(2),
          Duration.ofHours(5),
          Duration.ofHours(10),
          Duration.ofHours(10));

  /** The beginning of the names of the server's own queues. */
  public static final String OWN_QUEUES = "punctual.server.";

  /** The largest concurrency. */
  public static final int MOST_CONCURRENCY = 1000;

  /** The largest rate. */
  public static final int MOST_RATE = 100_000;

  /** The concurrency of a target that has no other. */
  public static final int DEFAULT_CONCURRENCY = 10;

  /** The time-out of a target that has no other. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(15);

  private static final int MOST_HEADERS = 50;
  private static final int MOST_RETRIES = 50;
  private static final Duration LONGEST_RETRY = Duration.ofDays(30);
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9._-]{1,200}");

  static final Fields FIELDS =
      Fields.of(
          "queue",
          "prefix",
          "url",
          "headers",
          "concurrency",
          "rate",
          "per",
          "timeout",
          "retries",
          "kind",
          "secret",
          "reason");

  /**
   * Creates a target.
   *
   * @throws IllegalArgumentException if a value is out of range; the message names the field
   */
  public WebhookSpec {
    headers = List.copyOf(headers);
    retries = List.copyOf(retries);
    require(
        NAME.matcher(name).matches(),
        "the name of a target has 1 to 100 letters, digits," + " dots, dashes and underscores");
    require(!queue.isEmpty() || isPrefix, "'queue' or 'prefix' is missing");
    require(queue.isEmpty() || QUEUE.matcher(queue).matches(), "'queue' is no name of a queue");
    require(!queue.startsWith(OWN_QUEUES), "'queue' is one of the server's own");
    require(!url.isEmpty(), "'url' is missing");
    require(headers.size() <= MOST_HEADERS, "'headers' may have " + MOST_HEADERS + " names");
    headers.forEach(HeaderNames::check);
    require(
        concurrency >= 1 && concurrency <= MOST_CONCURRENCY,
        "'concurrency' must be 1 to " + MOST_CONCURRENCY);
    require(rate >= 0 && rate <= MOST_RATE, "'rate' must be 0 to " + MOST_RATE);
    require(isWithin(per, Duration.ofMillis(1), Duration.ofDays(1)), "'per' must be 1 ms to 1 d");
    require(
        isWithin(timeout, Duration.ofMillis(100), Duration.ofMinutes(5)),
        "'timeout' must be 100 ms to 5 min");
    require(retries.size() <= MOST_RETRIES, "'retries' may have " + MOST_RETRIES + " times");
    for (Duration retry : retries) {
      require(isWithin(retry, Duration.ZERO, LONGEST_RETRY), "'retries' must be 0 s to 30 d each");
    }
  }

  private static boolean isWithin(Duration time, Duration least, Duration most) {
    return time.compareTo(least) >= 0 && time.compareTo(most) <= 0;
  }

  private static void require(boolean is, String otherwise) {
    if (!is) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** Returns a target with the usual limits. */
  public static WebhookSpec of(String name, String queue, String url) {
    return new WebhookSpec(
        name,
        queue,
        false,
        url,
        List.of(),
        DEFAULT_CONCURRENCY,
        0,
        Duration.ofSeconds(1),
        DEFAULT_TIMEOUT,
        DEFAULT_RETRIES);
  }

  /** Returns the largest number of attempts of a message. */
  public int attempts() {
    return retries.size() + 1;
  }

  /** Returns whether the target takes the messages of a queue. */
  public boolean takes(String name) {
    return isPrefix ? name.startsWith(queue) && !name.startsWith(OWN_QUEUES) : name.equals(queue);
  }

  /** Returns whether a queue can exist of which both targets take the messages. */
  public boolean overlaps(WebhookSpec other) {
    if (isPrefix && other.isPrefix) {
      return queue.startsWith(other.queue) || other.queue.startsWith(queue);
    }
    return isPrefix ? takes(other.queue) : other.takes(queue);
  }

  /** Returns the queue as people read it, such as {@code orders.*} for a prefix. */
  public String queueText() {
    return isPrefix ? queue + "*" : queue;
  }

  /** Adds what the owner of the target has decided. */
  void addTo(Tree tree) {
    tree.put(isPrefix ? "prefix" : "queue", queue)
        .put("url", url)
        .put("headers", headers)
        .put("concurrency", concurrency)
        .put("rate", rate)
        .put("per", text(per))
        .put("timeout", text(timeout))
        .put("retries", retries.stream().map(WebhookSpec::text).toList());
  }

  /** Returns a duration as the API reads it. */
  static String text(Duration time) {
    return time.toMillis() % 1000 == 0
        ? String.format(Locale.ROOT, "%ds", time.toSeconds())
        : String.format(Locale.ROOT, "%dms", time.toMillis());
  }

  /** Collects the fields of a target. Not thread-safe. */
  static final class Parts {
    private @Nullable String queue;
    private @Nullable String prefix;
    private String url = "";
    private List<String> headers = List.of();
    private int concurrency = DEFAULT_CONCURRENCY;
    private int rate;
    private Duration per = Duration.ofSeconds(1);
    private Duration timeout = DEFAULT_TIMEOUT;
    private List<Duration> retries = DEFAULT_RETRIES;
    WebhookKey.Kind kind = WebhookKey.Kind.HMAC;
    @Nullable String secret;

    void read(String name, JsonInput input) {
      switch (name) {
        case "queue" -> queue = input.text();
        case "prefix" -> prefix = input.text();
        case "url" -> url = input.text();
        case "headers" -> headers = input.array(MOST_HEADERS, JsonInput::text);
        case "concurrency" -> concurrency = (int) input.number(1, MOST_CONCURRENCY);
        case "rate" -> rate = (int) input.number(0, MOST_RATE);
        case "per" -> per = input.duration();
        case "timeout" -> timeout = input.duration();
        case "retries" -> retries = input.array(MOST_RETRIES, JsonInput::duration);
        case "kind" -> kind = input.constant(WebhookKey.Kind.class);
        case "secret" -> secret = input.text();
        default -> {
          String unused = input.text();
        }
      }
    }

    WebhookSpec spec(String name) {
      String one = queue;
      String many = prefix;
      if (one != null && many != null) {
        throw new IllegalArgumentException("send 'queue' or 'prefix', not both");
      }
      return new WebhookSpec(
          name,
          one != null ? one : many == null ? "" : many,
          many != null,
          url,
          headers,
          concurrency,
          rate,
          per,
          timeout,
          retries);
    }
  }

  /** Returns the fields as a map. */
  Map<String, @Nullable Object> tree() {
    Tree tree = new Tree();
    addTo(tree);
    return tree.toMap();
  }
}
