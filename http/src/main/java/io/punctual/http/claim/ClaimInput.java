package io.punctual.http.claim;

import io.punctual.RetryPolicy;
import io.punctual.Settlement;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The body of a claim. */
final class ClaimInput {
  /** The longest wait. */
  static final Duration MOST_WAIT = Duration.ofSeconds(60);

  private static final Fields FIELDS = Fields.of("max", "lease", "wait", "worker", "settle");
  private static final Fields WORKER = Fields.of("name", "host", "pid", "version", "concurrency");

  int max = 1;
  Duration lease = Duration.ofSeconds(30);
  Duration wait = Duration.ZERO;
  List<Settlement> settle = List.of();
  Optional<ClaimingWorker> worker = Optional.empty();

  private ClaimInput() {}

  /**
   * A worker that claims through this API.
   *
   * @param name its name
   * @param host the name of its host, or an empty text
   * @param pid the id of its process, or 0
   * @param version the version of its program, or an empty text
   * @param concurrency how many messages it processes at once
   */
  record ClaimingWorker(String name, String host, long pid, String version, int concurrency) {}

  static ClaimInput read(byte[] body, RetryPolicy policy, int mostPayload) {
    ClaimInput claim = new ClaimInput();
    if (body.length > 0) {
      JsonInput.read(body, input -> claim.read(input, policy, mostPayload));
    }
    return claim;
  }

  private ClaimInput read(JsonInput input, RetryPolicy policy, int mostPayload) {
    input.object(
        FIELDS,
        name -> {
          switch (name) {
            case "max" -> max = (int) input.number(1, 1000);
            case "lease" -> lease = positive(input);
            case "wait" -> wait = wait(input);
            case "worker" -> worker = Optional.of(worker(input));
            default -> settle = SettlementInput.list(input, policy, mostPayload);
          }
        });
    return this;
  }

  private static Duration positive(JsonInput input) {
    Duration lease = input.duration();
    if (lease.toMillis() < 1 || lease.compareTo(Duration.ofDays(1)) > 0) {
      throw input.bad("must be between 1 ms and 1 day");
    }
    return lease;
  }

  private static Duration wait(JsonInput input) {
    Duration wait = input.duration();
    if (wait.isNegative() || wait.compareTo(MOST_WAIT) > 0) {
      throw input.bad("must be between 0 and 60 s; send another claim to wait longer");
    }
    return wait;
  }

  private static ClaimingWorker worker(JsonInput input) {
    Parts parts = new Parts();
    input.object(
        WORKER,
        name -> {
          switch (name) {
            case "name" -> parts.name = line(input, 100);
            case "host" -> parts.host = line(input, 100);
            case "version" -> parts.version = line(input, 60);
            case "pid" -> parts.pid = input.number(0, Long.MAX_VALUE);
            default -> parts.concurrency = (int) input.number(1, 100_000);
          }
        });
    String name = parts.name;
    if (name == null) {
      throw input.bad("a worker needs a name");
    }
    return new ClaimingWorker(name, parts.host, parts.pid, parts.version, parts.concurrency);
  }

  private static String line(JsonInput input, int most) {
    String text = input.text();
    boolean isLine =
        !text.isBlank() && text.length() <= most && text.chars().noneMatch(Character::isISOControl);
    if (!isLine) {
      throw input.bad("must have 1 to " + most + " characters, without control characters");
    }
    return text;
  }

  private static final class Parts {
    @Nullable String name;
    String host = "";
    String version = "";
    long pid;
    int concurrency = 1;
  }
}
