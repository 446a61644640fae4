package io.punctual.benchmarks.queue;

import io.punctual.kit.process.Command;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A program that a peer needs, its usual locations, and the command that installs it. */
public enum Program {
  BEANSTALKD("beanstalkd", "/usr/bin", "apt-get install beanstalkd", "beanstalkd -v"),
  POSTGRES(
      "postgres", "/usr/lib/postgresql/*/bin", "apt-get install postgresql", "postgres --version"),
  MARIADB("mariadbd", "/usr/sbin", "apt-get install mariadb-server", "mariadbd --version"),
  // The program in the library's directory, because Debian's program on the path starts the server
  // as another user, in system directories. The version comes from the name of the program's
  // directory, because a call of the program for its version would leave Erlang's port mapper
  // running.
  RABBITMQ("rabbitmq-server", "/usr/lib/rabbitmq/bin", "apt-get install rabbitmq-server", ""),
  NODE("node", "/usr/bin", "apt-get install nodejs", "node --version"),
  NPM("npm", "/usr/bin", "apt-get install npm", "npm --version");

  private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");
  private static final int DEPTH = 4;

  private final String file;
  private final String usualPlace;
  private final String install;
  private final String versionCall;

  Program(String file, String usualPlace, String install, String versionCall) {
    this.file = file;
    this.usualPlace = usualPlace;
    this.install = install;
    this.versionCall = versionCall;
  }

  public String file() {
    return file;
  }

  /** The newest program at the usual location, else the first on the path. */
  public Optional<Path> find() {
    return Stream.concat(usual(), onPath()).filter(Files::isExecutable).findFirst();
  }

  public Path require() {
    return find().orElseThrow(() -> new IllegalStateException(missing()));
  }

  /** The message for a missing program. */
  public String missing() {
    return String.format(Locale.ROOT, "there is no %s; bring it in with: %s", file, install);
  }

  /** Returns the version from the program's output or, if it can't be asked, from its path. */
  public String version() {
    try {
      String text = versionCall.isEmpty() ? require().toRealPath().toString() : answer();
      Matcher matcher = VERSION.matcher(text);
      return matcher.find() ? matcher.group() : "of unknown version";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String answer() {
    String[] words = versionCall.split(" ", -1);
    String program = require().resolveSibling(words[0]).toString();
    return Command.of(program, words[1]).run();
  }

  private Stream<Path> usual() {
    int star = usualPlace.indexOf('*');
    if (star < 0) {
      return Stream.of(Path.of(usualPlace, file));
    }
    Path root = Path.of(usualPlace.substring(0, star));
    if (!Files.isDirectory(root)) {
      return Stream.empty();
    }
    PathMatcher matcher =
        FileSystems.getDefault().getPathMatcher("glob:" + usualPlace + "/" + file);
    try (Stream<Path> files = Files.walk(root, DEPTH)) {
      List<Path> found =
          files.filter(matcher::matches).sorted(Comparator.<Path>reverseOrder()).toList();
      return found.stream();
    } catch (IOException unreadable) {
      return Stream.empty();
    }
  }

  private Stream<Path> onPath() {
    String path = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(path.split(File.pathSeparator)).map(folder -> Path.of(folder, file));
  }
}
