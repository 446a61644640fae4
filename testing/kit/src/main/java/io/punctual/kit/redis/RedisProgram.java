package io.punctual.kit.redis;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the server program: the file that the system property {@value #PROPERTY} names, else the
 * program in {@code org.signal:embedded-redis} if that is on the class path and has a program for
 * this machine, else {@code redis-server} or {@code valkey-server} on the path.
 */
final class RedisProgram {
  /** The system property that names the program; it has precedence over all other programs. */
  static final String PROPERTY = "punctual.redis.program";

  private static final String CLASS_BESIDE_IT = "redis/embedded/RedisServer.class";
  private static @Nullable Path unpacked;

  private RedisProgram() {}

  /**
   * Returns the program.
   *
   * @throws IllegalStateException if there is none; the message lists the searched places
   */
  static Path find() {
    return require(named().or(RedisProgram::unpacked).or(RedisProgram::onPath));
  }

  /**
   * Finds the server program, but prefers an installed program to the embedded program.
   *
   * @throws IllegalStateException if there is none; the message lists the searched places
   */
  static Path findInstalled() {
    return require(named().or(RedisProgram::onPath).or(RedisProgram::unpacked));
  }

  private static Path require(Optional<Path> found) {
    return found.orElseThrow(
        () ->
            new IllegalStateException(
                "No Redis server: the system property "
                    + PROPERTY
                    + " names none, org.signal:embedded-redis is not on the class path or has"
                    + " none for this machine, and neither redis-server nor valkey-server is on"
                    + " the path"));
  }

  private static Optional<Path> named() {
    return Optional.ofNullable(System.getProperty(PROPERTY))
        .filter(name -> !name.isEmpty())
        .map(Path::of);
  }

  private static Optional<Path> onPath() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.of(path.split(Pattern.quote(File.pathSeparator), -1))
        .flatMap(d -> Stream.of(Path.of(d, "redis-server"), Path.of(d, "valkey-server")))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static synchronized Optional<Path> unpacked() {
    if (unpacked == null) {
      URL beside = RedisProgram.class.getClassLoader().getResource(CLASS_BESIDE_IT);
      unpacked = beside == null ? null : unpack(beside).orElse(null);
    }
    return Optional.ofNullable(unpacked);
  }

  private static Optional<Path> unpack(URL beside) {
    try {
      if (beside.openConnection() instanceof JarURLConnection connection) {
        connection.setUseCaches(false);
        try (JarFile jar = connection.getJarFile()) {
          return unpack(jar);
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<Path> unpack(JarFile jar) throws IOException {
    Pattern name = Pattern.compile("redis-server-.*-" + machine());
    Optional<JarEntry> entry =
        jar.stream().filter(e -> name.matcher(e.getName()).matches()).findFirst();
    if (entry.isEmpty()) {
      return Optional.empty();
    }
    Path program = Files.createTempFile("redis-server", "");
    program.toFile().deleteOnExit();
    try (InputStream in = jar.getInputStream(entry.get())) {
      Files.copy(in, program, StandardCopyOption.REPLACE_EXISTING);
    }
    if (!program.toFile().setExecutable(true)) {
      throw new IOException("Can't make " + program + " executable");
    }
    return Optional.of(program);
  }

  private static String machine() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String processor = System.getProperty("os.arch");
    return (system.contains("mac") ? "darwin-" : system.split(" ", -1)[0] + "-")
        + (processor.equals("x86_64") ? "amd64" : processor.replace("aarch64", "arm64"));
  }
}
