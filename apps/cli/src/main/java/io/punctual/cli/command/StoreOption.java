package io.punctual.cli.command;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The store of a command: {@code --store}, else {@code PUNCTUAL_STORE}, else the config file. */
public final class StoreOption {
  @Option(
      names = "--store",
      paramLabel = "URL",
      description = "The store, such as journal:./data or redis://localhost:6379.")
  private @Nullable String given;

  public Optional<String> url(Map<String, String> environment) {
    return Optional.ofNullable(given)
        .or(() -> named(environment.get("PUNCTUAL_STORE")))
        .or(() -> named(configured(configFile(environment))));
  }

  private static Optional<String> named(@Nullable String url) {
    return Optional.ofNullable(url).map(String::strip).filter(text -> !text.isEmpty());
  }

  public static Path configFile(Map<String, String> environment) {
    String config = environment.get("XDG_CONFIG_HOME");
    Path folder =
        config == null || config.isEmpty()
            ? Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".config")
            : Path.of(config);
    return folder.resolve("punctual").resolve("config.properties");
  }

  private static @Nullable String configured(Path file) {
    if (!Files.isRegularFile(file)) {
      return null;
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException("Can't read " + file + ": " + e.getMessage(), e);
    }
    return properties.getProperty("store");
  }
}
