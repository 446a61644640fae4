package io.punctual.cli.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.PunctualException;
import io.punctual.cli.command.CommandFactory;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.Stdout;
import io.punctual.cli.output.Stop;
import io.punctual.cli.output.Terminal;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;
import io.punctual.view.Outcomes;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Tests an export from a store that is lost after it was opened. */
class DeadLettersExportCommandTest {
  private final MemoryStore store = MemoryStore.builder().build();

  /** Returns a store whose list of queues is lost on the way. */
  private Store unreliable() {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) ->
                method.getName().equals("queues")
                    ? CompletableFuture.failedFuture(new PunctualException("no answer", null))
                    : method.invoke(store, arguments));
  }

  @Test
  void firstRequestGetsNoAnswer_isFive() throws Exception {
    Console console =
        new Console(
            InputStream.nullInputStream(),
            new Stdout(OutputStream.nullOutputStream()),
            new PrintWriter(Writer.nullWriter()),
            Terminal.NONE,
            Map.of(),
            url -> {
              throw new UnsupportedOperationException(url);
            },
            new Stop());
    DeadLettersExportCommand command =
        new CommandFactory(console).create(DeadLettersExportCommand.class);
    Object unused = new CommandLine(command, new CommandFactory(console)).parseArgs("orders");

    assertThatThrownBy(() -> command.run(unreliable()))
        .hasMessage("memory: does not list its queues: no answer")
        .satisfies(failure -> assertThat(Outcomes.exitCode(failure)).isEqualTo(5));
  }
}
