package io.punctual.cli;

import io.punctual.DeleteQueueOutcome;
import io.punctual.Punctual;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.Stdout;
import io.punctual.cli.output.Stop;
import io.punctual.cli.output.StoreOpener;
import io.punctual.cli.output.Terminal;
import io.punctual.event.EventObserver;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs commands in this process. After {@link #shared}, the commands share a store. */
final class Cli {
  private static final JsonMapper JSON = new JsonMapper();

  final Map<String, String> environment =
      new HashMap<>(Map.of("XDG_CONFIG_HOME", "/there/is/no/such/folder"));
  final Stop stop = new Stop();
  Terminal terminal = Terminal.NONE;
  StoreOpener stores = Punctual::open;
  EventObserver observer = event -> {};
  InputStream in = InputStream.nullInputStream();
  OutputStream out = new ByteArrayOutputStream();

  record Result(int exitCode, String out, String err) {
    JsonNode json() {
      return JSON.readTree(out);
    }

    List<JsonNode> jsonLines() {
      return out.lines().map(JSON::readTree).toList();
    }
  }

  /** Makes the commands that open a {@link Punctual} use this store, regardless of their URL. */
  Cli shared(MemoryStore store) {
    stores = url -> Punctual.builder().store(new StaysOpen(store)).observer(observer).build();
    environment.put("PUNCTUAL_STORE", "shared:");
    return this;
  }

  /** Makes the output fail as if its reader had ended. */
  Cli withoutReader() {
    out = failing("Broken pipe");
    return this;
  }

  /** Returns an output whose writes fail. */
  static OutputStream failing(String message) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(message);
      }
    };
  }

  Cli input(String text) {
    in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  Result run(String... args) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    out = out instanceof ByteArrayOutputStream ? bytes : out;
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console =
        new Console(
            in,
            new Stdout(out),
            new PrintWriter(new OutputStreamWriter(err, StandardCharsets.UTF_8)),
            terminal,
            environment,
            stores,
            stop);
    int exitCode = PunctualCommand.run(console, args);
    return new Result(
        exitCode, bytes.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** A store that outlives the clients that use it. */
  record StaysOpen(MemoryStore store) implements Store {
    @Override
    public String describe() {
      return "shared:";
    }

    @Override
    public Set<Capability> capabilities() {
      return store.capabilities();
    }

    @Override
    public CompletionStage<List<Partition>> partitions(String queue) {
      return store.partitions(queue);
    }

    @Override
    public CompletionStage<List<String>> queues() {
      return store.queues();
    }

    @Override
    public CompletionStage<DeleteQueueOutcome> delete(String queue) {
      return store.delete(queue);
    }

    @Override
    public CompletionStage<long[]> untilNext(List<Partition> partitions) {
      return store.untilNext(partitions);
    }

    @Override
    public Duration safetyCheckInterval(int partitions) {
      return store.safetyCheckInterval(partitions);
    }

    @Override
    public void close() {
      // The store stays open, because the next command of the test uses the same store.
    }
  }
}
