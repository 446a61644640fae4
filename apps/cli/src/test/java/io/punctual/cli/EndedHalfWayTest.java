package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what a person or a script sees of a command that ends half way. */
class EndedHalfWayTest {
  private static final CompletableFuture<?> LOST =
      CompletableFuture.failedFuture(new PunctualException("the connection is lost", null));

  private final MemoryStore store = MemoryStore.builder().build();
  private final Cli cli = new Cli().shared(store);

  /** Replaces the answers of the store to calls of this name from the second call on. */
  private void fromTheSecond(String method, UnaryOperator<CompletionStage<?>> change) {
    AtomicInteger calls = new AtomicInteger();
    from(2, calls, method, change);
  }

  private void from(
      int first, AtomicInteger calls, String method, UnaryOperator<CompletionStage<?>> change) {
    cli.stores = url -> Punctual.builder().store(changed(first, calls, method, change)).build();
  }

  private Store changed(
      int first, AtomicInteger calls, String method, UnaryOperator<CompletionStage<?>> change) {
    return changed(
        (called, reply) ->
            called.equals(method) && calls.incrementAndGet() >= first
                ? change.apply((CompletionStage<?>) reply)
                : reply);
  }

  private Store changed(Answers ofPartitions) {
    return proxy(
        Store.class,
        new Cli.StaysOpen(store),
        (called, reply) ->
            called.equals("partitions")
                ? ((CompletionStage<?>) reply)
                    .thenApply(
                        partitions ->
                            ((List<?>) partitions)
                                .stream()
                                    .map(each -> (Partition) each)
                                    .map(each -> proxy(Partition.class, each, ofPartitions))
                                    .toList())
                : reply);
  }

  private interface Answers {
    Object change(String method, Object answer);
  }

  private static <T> T proxy(Class<T> type, T real, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return answers.change(method.getName(), method.invoke(real, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  /** Gives these answers for the partitions, to a client that waits for a change only shortly. */
  private void answer(Answers ofPartitions) {
    cli.stores =
        url ->
            Punctual.builder()
                .store(changed(ofPartitions))
                .operationTimeout(Duration.ofMillis(100))
                .build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"schedule q x --id n", "cancel q m", "dead-letters redrive q m"})
  void change_getsNoAnswer_isFive(String command) {
    cli.run("schedule", "q", "x", "--id", "m", "--in", "1h");
    answer((called, reply) -> called.equals("call") ? LOST : reply);

    Cli.Result result = cli.run(command.split(" "));

    assertThat(result.exitCode()).as(result.err()).isEqualTo(5);
    assertThat(result.err()).contains("may have been done or not");
  }

  @Test
  void doctor_changeGetsNoAnswer_isNotCalledReadOnly() {
    cli.run("schedule", "q", "x", "--in", "1h");
    answer((called, reply) -> called.equals("call") ? LOST : reply);

    Cli.Result result = cli.run("doctor", "q");

    assertThat(result.out()).containsPattern("cause +no worker");
  }

  @Test
  void doctor_storeIsAwayFromItsChangeOn_isNotCalledReadOnly() {
    cli.run("schedule", "q", "x", "--in", "1h");
    AtomicBoolean away = new AtomicBoolean();
    answer(
        (called, reply) -> {
          away.compareAndSet(false, called.equals("call"));
          return away.get() && reply instanceof CompletionStage
              ? CompletableFuture.failedFuture(new Partition.NotSentException("away", null))
              : reply;
        });

    Cli.Result result = cli.run("doctor", "q");

    assertThat(result.out()).containsPattern("cause +store away");
    assertThat(result.exitCode()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "ndjson", "table"})
  void list_storeFailsAfterAPage_neverLooksComplete(String format) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 1100; i++) {
      lines.append("{\"id\":\"m").append(i).append("\",\"delay\":\"1h\",\"payload\":1}\n");
    }
    cli.input(lines.toString()).run("schedule", "q");
    fromTheSecond(
        "browse",
        answer -> CompletableFuture.failedFuture(new StoreUnavailableException("away", null)));

    Cli.Result result = cli.run("list", "q", "--limit", "2000", "-o", format);

    assertThat(result.exitCode()).isEqualTo(5);
    assertThat(result.out()).contains("m1");
    if (format.equals("json")) {
      assertThat(result.out().strip()).startsWith("[").doesNotEndWith("]");
    }
  }

  @Test
  void purge_ended_saysHowMuchIsGone() {
    cli.run("schedule", "q", "x", "--in", "1h");
    from(1, new AtomicInteger(), "purge", answer -> new CompletableFuture<>());
    cli.stop.ask();

    Cli.Result result = cli.run("purge", "q", "--yes");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("Stopped: about 1 of 1 messages were removed");
  }

  @Test
  void purge_storeAway_isFive() {
    cli.run("schedule", "q", "x", "--in", "1h");
    from(
        1,
        new AtomicInteger(),
        "purge",
        answer -> CompletableFuture.failedFuture(new StoreUnavailableException("away", null)));

    Cli.Result result = cli.run("purge", "q", "--yes");

    assertThat(result.exitCode()).isEqualTo(5);
    assertThat(result.err()).contains("away").doesNotContain("CompletionException");
  }

  @Test
  void copy_ended_saysHowToContinue(@TempDir Path folder) {
    String from = "journal:" + folder.resolve("from");
    String to = "journal:" + folder.resolve("to");
    new Cli().run("schedule", "q", "x", "--in", "1h", "--store", from);
    cli.stop.ask();

    Cli.Result result = cli.run("copy", "--from", from, "--to", to);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("The copy was stopped at: q", "--continue");
    assertThat(new Cli().run("copy", "--from", from, "--to", to, "--continue").exitCode()).isZero();
  }

  @Test
  void copy_unknownQueue_isThree(@TempDir Path folder) {
    String from = "journal:" + folder.resolve("from");
    new Cli().run("schedule", "q", "x", "--in", "1h", "--store", from);

    Cli.Result result =
        cli.run("copy", "--from", from, "--to", "memory:", "--queue", "q", "--queue", "nosuch");

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.err()).contains("no queue 'nosuch'", "nothing was copied");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\ufeff", "\n  "})
  void store_inAFile_isRead(String begin, @TempDir Path folder) throws Exception {
    String journal = "journal:" + folder.resolve("data");
    Path file = Files.writeString(folder.resolve("url"), begin + journal + "\r\n");

    assertThat(new Cli().run("schedule", "q", "x", "--store", "@" + file).exitCode()).isZero();
    assertThat(
            new Cli()
                .run("copy", "--from", "@" + file, "--to", "memory:", "--queue", "q")
                .exitCode())
        .isZero();
    assertThat(new Cli().run("stats", "q", "--store", journal).exitCode()).isZero();
    Cli.Result missing = new Cli().run("stats", "q", "--store", "@" + folder.resolve("none"));
    assertThat(missing.exitCode()).isEqualTo(2);
    assertThat(missing.err()).contains("Can't read the URL from", "none: there is no such file");
  }

  @Test
  void configFile_byteOrderMark_isIgnored(@TempDir Path folder) throws Exception {
    String journal = "journal:" + folder.resolve("data");
    Files.createDirectories(folder.resolve("punctual"));
    Files.writeString(
        folder.resolve("punctual").resolve("config.properties"), "\ufeffstore=" + journal + "\r\n");
    Cli configured = new Cli();
    configured.environment.put("XDG_CONFIG_HOME", folder.toString());

    assertThat(configured.run("schedule", "q", "x").exitCode()).isZero();
  }

  @Test
  void configFile_cannotBeRead_isNamed(@TempDir Path folder) throws Exception {
    Path file = Files.createDirectories(folder.resolve("punctual")).resolve("config.properties");
    Cli configured = new Cli();
    configured.environment.put("XDG_CONFIG_HOME", folder.toString());

    Files.writeString(file, "store=redis://\\u12");
    for (String command : List.of("queues", "lock list", "server --check")) {
      Cli.Result result = configured.run(command.split(" "));
      assertThat(result.exitCode()).as(command).isEqualTo(2);
      assertThat(result.err()).as(command).contains(file + ": Malformed \\uxxxx encoding");
    }

    Files.write(file, new byte[] {'s', (byte) 0xff});
    Cli.Result result = configured.run("queues");
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("Can't read " + file + ": it is not UTF-8");
  }
}
