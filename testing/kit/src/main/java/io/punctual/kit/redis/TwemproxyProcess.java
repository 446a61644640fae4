package io.punctual.kit.redis;

import io.punctual.kit.process.Folders;
import io.punctual.kit.process.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Twemproxy on a free port of the loopback interface, in front of Redis servers. The program is
 * {@code nutcracker} on the path, or in {@code /usr/sbin}. Not every machine has the program, so
 * call {@link #isInstalled} first.
 *
 * <p>Safe for use by many threads.
 */
public final class TwemproxyProcess implements AutoCloseable {
  private final int port;
  private final ServerProcess server;

  private TwemproxyProcess(int port, ServerProcess server) {
    this.port = port;
    this.server = server;
  }

  /** Returns whether {@code nutcracker} is on the path or in {@code /usr/sbin}. */
  public static boolean isInstalled() {
    return program().isPresent();
  }

  private static Optional<Path> program() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.of(
            (path + File.pathSeparator + "/usr/sbin").split(Pattern.quote(File.pathSeparator), -1))
        .map(directory -> Path.of(directory, "nutcracker"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts Twemproxy in front of these servers. Returns when it accepts connections. */
  public static TwemproxyProcess start(List<RedisProcess> servers) {
    Path program =
        program()
            .orElseThrow(() -> new IllegalStateException("There is no nutcracker on the path"));
    try {
      Path directory = Folders.create("twemproxy");
      int port = FreePorts.next();
      Path config = Files.writeString(directory.resolve("config.yml"), config(port, servers));
      List<String> command = new ArrayList<>(List.of(program.toString(), "-c", config.toString()));
      command.addAll(List.of("-a", "127.0.0.1", "-s", Integer.toString(FreePorts.next())));
      command.addAll(List.of("-o", directory.resolve("messages").toString()));
      command.addAll(List.of("-p", directory.resolve("pid").toString()));
      return new TwemproxyProcess(
          port,
          ServerProcess.builder("twemproxy")
              .folder(directory)
              .command(command)
              .ready(() -> ServerProcess.accepts(port))
              .start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String config(int port, List<RedisProcess> servers) {
    StringBuilder config =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                """
                punctual:
                  listen: 127.0.0.1:%d
                  redis: true
                  hash: fnv1a_64
                  hash_tag: "{}"
                  distribution: ketama
                  servers:
                """,
                port));
    for (int i = 0; i < servers.size(); i++) {
      // Twemproxy assigns keys to a server by the name of the server, which is independent of the
      // free port.
      config.append(
          String.format(Locale.ROOT, "    - 127.0.0.1:%d:1 server-%d%n", servers.get(i).port(), i));
    }
    return config.toString();
  }

  /** Returns the port of Twemproxy. */
  public int port() {
    return port;
  }

  /** Returns the URL of a store behind Twemproxy. */
  public String url() {
    return "redis://127.0.0.1:" + port + "?proxy=true";
  }

  /** Ends the process and removes its directory. */
  @Override
  public void close() {
    server.close();
  }
}
