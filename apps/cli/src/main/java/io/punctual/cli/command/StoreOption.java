package io.punctual.cli.command;

import io.punctual.cli.input.TextFile;
import io.punctual.cli.input.UrlConverter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The store of a command: {@code --store} of the command or of a parent command, else {@code
 * PUNCTUAL_STORE}, else the config file.
 */
public final class StoreOption {
  private static final String NAME = "--store";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = NAME,
      paramLabel = "URL",
      converter = UrlConverter.class,
      description =
          "The store, such as journal:./data or redis://localhost:6379; or @FILE: a file with its"
              + " URL.")
  private @Nullable String given;

  /**
   * Returns the store that the option of this command or of a parent command names. Ignores the
   * environment and the config file.
   */
  public Optional<String> given() {
    return Optional.ofNullable(given).or(() -> givenBefore(command.parent()));
  }

  public Optional<String> url(Map<String, String> environment) {
    return given()
        .or(() -> named(environment.get("PUNCTUAL_STORE")))
        .or(() -> named(configured(configFile(environment))));
  }

  /**
   * Returns the option's value at the nearest parent command that has one, beginning with {@code
   * around}.
   */
  private static Optional<String> givenBefore(@Nullable CommandSpec around) {
    if (around == null) {
      return Optional.empty();
    }
    OptionSpec option = around.findOption(NAME);
    String url = option == null ? null : option.getValue();
    return Optional.ofNullable(url).or(() -> givenBefore(around.parent()));
  }

  /**
   * Returns the index of the command's name: the first argument after any {@code --store URL}.
   * Without such an argument, returns the number of arguments.
   */
  public static int commandIndex(String... args) {
    int index = 0;
    while (index < args.length && args[index].startsWith(NAME)) {
      index += args[index].equals(NAME) ? 2 : 1;
    }
    return Math.min(index, args.length);
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
    TextFile.load(file, properties);
    return properties.getProperty("store");
  }
}
