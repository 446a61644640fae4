package io.punctual.cli.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.WorkerOptions;
import io.punctual.cli.input.TextFile;
import io.punctual.cli.input.TimeSpan;
import io.punctual.rabbitmq.RabbitIntake;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The config file of an intake: lines of the form {@code key=value}, as in a properties file.
 * {@link #read}, or the method that needs a wrong value, throws an {@link
 * IllegalArgumentException}.
 */
final class IntakeConfig {
  private static final Set<String> KEYS =
      new TreeSet<>(
          Set.of(
              "broker",
              "store",
              "queue",
              "source",
              "source-type",
              "target",
              "target-type",
              "intake-queue",
              "queue-type",
              "prefetch",
              "in-flight",
              "declare",
              "message-ids",
              "mandatory",
              "confirm-timeout"));

  private final Path file;
  private final Map<String, String> environment;
  private final Properties values = new UniqueProperties();

  private IntakeConfig(Path file, Map<String, String> environment) {
    this.file = file;
    this.environment = environment;
  }

  /** Reads a file. The environment can name the broker if the file does not. */
  static IntakeConfig read(Path file, Map<String, String> environment) {
    IntakeConfig config = new IntakeConfig(file, environment);
    TextFile.load(file, config.values);
    Set<String> unknown = new TreeSet<>(config.values.stringPropertyNames());
    unknown.removeAll(KEYS);
    if (!unknown.isEmpty()) {
      throw config.wrong(
          "unknown key " + String.join(", ", unknown) + "; known: " + String.join(", ", KEYS),
          null);
    }
    return config;
  }

  /** Rejects a duplicate key, instead of using its last value. */
  private static final class UniqueProperties extends Properties {
    private static final long serialVersionUID = 1L;

    @Override
    public synchronized @Nullable Object put(Object key, Object value) {
      if (containsKey(key)) {
        throw new IllegalArgumentException("the key " + key + " is there twice");
      }
      return super.put(key, value);
    }
  }

  private IllegalArgumentException wrong(String fault, @Nullable Exception cause) {
    return new IllegalArgumentException(file + ": " + fault, cause);
  }

  private Optional<String> value(String key) {
    return Optional.ofNullable(values.getProperty(key))
        .map(String::strip)
        .filter(text -> !text.isEmpty());
  }

  private String required(String key) {
    return value(key).orElseThrow(() -> wrong("the key " + key + " is missing", null));
  }

  /** Returns the URL of the store, or empty if no store is configured. */
  Optional<String> store() {
    return value("store");
  }

  /** Returns the name of the queue that stores the messages. */
  String queue() {
    return required("queue");
  }

  String source() {
    return required("source");
  }

  String target() {
    return required("target");
  }

  /**
   * Returns a factory of connections to RabbitMQ, with the URL from {@code broker} or {@code
   * PUNCTUAL_RABBITMQ}.
   */
  ConnectionFactory connection() {
    String url =
        value("broker")
            .or(() -> Optional.ofNullable(environment.get("PUNCTUAL_RABBITMQ")))
            .orElseThrow(
                () -> wrong("the key broker is missing, and PUNCTUAL_RABBITMQ is not set", null));
    ConnectionFactory factory = new ConnectionFactory();
    try {
      factory.setUri(url);
      return factory;
    } catch (URISyntaxException | GeneralSecurityException | IllegalArgumentException e) {
      // The cause is omitted, because its text can contain the URL with the password.
      throw wrong("broker must be a URL such as amqp://user:password@host:5672/vhost", null);
    }
  }

  /** Returns the builder of an intake that stores its messages with this client. */
  RabbitIntake.Builder intake(Punctual punctual) {
    RabbitIntake.Builder intake =
        RabbitIntake.builder(punctual.queue(queue(), Codec.bytes()), connection());
    intake.source(source());
    set("source-type", type -> intake.source(source(), type));
    intake.target(target(), required("target-type"));
    set("intake-queue", intake::intakeQueue);
    set("queue-type", intake::queueType);
    set("prefetch", text -> intake.prefetch(number(text)));
    set(
        "in-flight",
        text -> intake.workerOptions(WorkerOptions.builder().concurrency(number(text)).build()));
    set("declare", text -> intake.declare(isTrue(text)));
    set("message-ids", text -> intake.messageIds(isTrue(text)));
    set("mandatory", text -> intake.mandatory(isTrue(text)));
    set("confirm-timeout", text -> intake.confirmTimeout(TimeSpan.parse(text)));
    return intake;
  }

  private void set(String key, Consumer<String> setter) {
    try {
      value(key).ifPresent(setter);
    } catch (IllegalArgumentException e) {
      throw wrong(key + ": " + e.getMessage(), e);
    }
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is not a number", e);
    }
  }

  private static boolean isTrue(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("'" + text + "' is neither true nor false");
    };
  }
}
