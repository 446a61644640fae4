package io.punctual.kit.redis;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
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
  private final Path directory;
  private final int port;
  private final Process process;

  private TwemproxyProcess(Path directory, int port, Process process) {
    this.directory = directory;
    this.port = port;
    this.process = process;
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
      Path directory = Files.createTempDirectory("twemproxy");
      int port = FreePorts.next();
      int statistics = FreePorts.next();
      Path config = Files.writeString(directory.resolve("config.yml"), config(port, servers));
      Process process =
          new ProcessBuilder(
                  program.toString(),
                  "-c",
                  config.toString(),
                  "-a",
                  "127.0.0.1",
                  "-s",
                  Integer.toString(statistics),
                  "-o",
                  directory.resolve("messages").toString(),
                  "-p",
                  directory.resolve("pid").toString())
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("log").toFile())
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
      TwemproxyProcess started = new TwemproxyProcess(directory, port, process);
      RedisSentinels.await("Twemproxy takes connections", started::takesConnections);
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String config(int port, List<RedisProcess> servers) {
    StringBuilder config =
        new StringBuilder(
            """
            punctual:
              listen: 127.0.0.1:%d
              redis: true
              hash: fnv1a_64
              hash_tag: "{}"
              distribution: ketama
              servers:
            """
                .formatted(port));
    for (int i = 0; i < servers.size(); i++) {
      // Twemproxy assigns keys to a server by the name of the server, which is independent of the
      // free port.
      config.append("    - 127.0.0.1:%d:1 server-%d%n".formatted(servers.get(i).port(), i));
    }
    return config.toString();
  }

  private boolean takesConnections() {
    if (!process.isAlive()) {
      throw new IllegalStateException("Twemproxy has ended; see " + directory);
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
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
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
      for (String file : List.of("config.yml", "log", "messages", "pid")) {
        Files.deleteIfExists(directory.resolve(file));
      }
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
