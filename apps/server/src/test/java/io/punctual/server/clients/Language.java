package io.punctual.server.clients;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.process.Command;
import io.punctual.kit.process.Folders;
import io.punctual.kit.process.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The languages of the clients, and Java with the HTTP store. */
enum Language {
  PYTHON("python3", "--version", "\"CardError at scenario.py:\\d+\""),
  JAVASCRIPT("node", "--version", "\"CardError at scenario.mjs:\\d+\""),
  GO("go", "version", "\"main.CardError at main.go:\\d+\""),
  /** The frames of Punctual itself, to which the program belongs, are no place. */
  JAVA("java", "-version", "CardError: declined");

  private static final Map<Language, Path> INSTALLED = new ConcurrentHashMap<>();

  private final String program;
  private final boolean isPresent;
  private final String group;

  Language(String program, String version, String group) {
    this.program = program;
    this.isPresent = program.equals("java") || Command.of(program, version).succeeds();
    this.group = group;
  }

  /** A regular expression for the group of dead letters of the failing handler. */
  String group() {
    return group;
  }

  /** The folder of the client in the project. */
  Path folder() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path folder = at.resolve("clients").resolve(name().toLowerCase(Locale.ROOT));
      if (Files.isDirectory(folder)) {
        return folder;
      }
    }
    throw new IllegalStateException("clients/ is not above " + Path.of("").toAbsolutePath());
  }

  boolean isPresent() {
    return isPresent;
  }

  /** Skips the test where the interpreter is absent. */
  void assume() {
    assumeTrue(isPresent, program + " is absent; .ci/install-servers lists what tests need");
  }

  /** Starts a program that uses the client as it is installed. */
  Process start(Path source, List<String> arguments, Redirect errors, Redirect output) {
    return start(source, arguments, Map.of(), errors, output);
  }

  private Process start(
      Path source,
      List<String> arguments,
      Map<String, String> environment,
      Redirect errors,
      Redirect output) {
    if (this == JAVA) {
      return JavaProcess.of(JavaScenario.class).small().arguments(arguments).launch(errors);
    }
    Path place = installed();
    List<String> words = new ArrayList<>();
    Map<String, String> variables = Map.of();
    switch (this) {
      case PYTHON -> {
        words.addAll(List.of(program, "-B", "-u", source.toString()));
        variables = Map.of("PYTHONPATH", place.toString());
      }
      case JAVASCRIPT -> words.addAll(List.of(program, copy(source, place).toString()));
      default -> words.add(place.resolve(source.getFileName()).toString());
    }
    words.addAll(arguments);
    return Command.of(words)
        .environment(variables)
        .environment(environment)
        .launch(Redirect.PIPE, output, errors);
  }

  /** Starts the program of the scenario. */
  Process startScenario(List<String> arguments, Map<String, String> environment, Redirect errors) {
    Path source =
        switch (this) {
          case PYTHON -> folder().resolve("scenario.py");
          case JAVASCRIPT -> folder().resolve("scenario.mjs");
          case GO -> folder().resolve("scenario");
          case JAVA -> Path.of("");
        };
    return start(source, arguments, environment, errors, Redirect.PIPE);
  }

  /** Returns the folder in which the client is installed, or the programs of Go are built. */
  Path installed() {
    return INSTALLED.computeIfAbsent(this, Language::install);
  }

  private Path install() {
    Path place = Folders.create("punctual-" + name().toLowerCase(Locale.ROOT));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> Folders.delete(place)));
    switch (this) {
      case PYTHON -> installPython(place);
      case JAVASCRIPT -> installJavaScript(place);
      default -> buildGo(folder().resolve("scenario"), place.resolve("scenario"));
    }
    return place;
  }

  /** Pip can install offline only if it has wheel; otherwise, the file is used where it is. */
  private void installPython(Path place) {
    if (Command.of(program, "-c", "import wheel").succeeds()) {
      Path copy = place.resolve("copy");
      copyAll(List.of("pyproject.toml", "punctual.py", "README.md"), copy);
      Command.of(
              program,
              "-m",
              "pip",
              "install",
              "--quiet",
              "--no-index",
              "--no-build-isolation",
              "--no-deps",
              "--target",
              place.toString(),
              copy.toString())
          .run();
    } else {
      System.err.println("Python has no wheel: the client is not installed, but used by its path");
      copyAll(List.of("punctual.py"), place);
    }
  }

  private void installJavaScript(Path place) {
    write(place.resolve("package.json"), "{}");
    Command.of(
            "npm",
            "install",
            "--offline",
            "--no-audit",
            "--no-fund",
            "--install-links",
            folder().toString())
        .directory(place)
        .run();
  }

  /** Builds a program of Go, whose module replaces the client by its folder. */
  static void buildGo(Path source, Path program) {
    Command.of("go", "build", "-o", program.toString(), ".")
        .directory(source)
        .environment(Map.of("GOFLAGS", "-mod=mod", "GOPROXY", "off", "CGO_ENABLED", "0"))
        .run();
  }

  private void copyAll(List<String> files, Path target) {
    files.forEach(file -> copy(folder().resolve(file), target));
  }

  static Path copy(Path file, Path folder) {
    Path target = folder.resolve(file.getFileName());
    try {
      Files.createDirectories(folder);
      if (!Files.exists(target)) {
        Files.copy(file, target);
      }
      return target;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path write(Path file, String text) {
    try {
      Files.createDirectories(file.getParent());
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
