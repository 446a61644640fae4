package io.punctual.cli.command;

import io.punctual.Punctual;
import io.punctual.journal.JournalTool;
import io.punctual.spi.StoreUrl;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/**
 * A command whose store the user names: by an option, in the environment, or in the config file. A
 * command can also have a default store.
 */
public abstract class StoreUrlCommand extends ConsoleCommand {
  /** The options of a journal that only its writer has. */
  private static final Pattern WRITER = Pattern.compile("(fsync|networkFileSystem|create)=");

  @Mixin private StoreOption store;

  /** Returns the default store, or empty if the user must name a store. */
  public Optional<String> storeByDefault() {
    return Optional.empty();
  }

  public boolean isReadOnly() {
    return false;
  }

  public boolean mayCreateStore() {
    return false;
  }

  /**
   * Returns the URL with which to open the store. Refuses a journal that does not exist, unless the
   * command may create its store.
   */
  final String url() {
    String url =
        store.url(console().environment()).or(this::storeByDefault).orElseThrow(this::none);
    if (!mayCreateStore()) {
      requireStore(StoreUrl.parse(url));
    }
    return isReadOnly() ? forReading(url) : url;
  }

  public final Punctual openStore() {
    try {
      return console().stores().open(url());
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  /** Refuses a journal that does not exist, because opening the journal would create its folder. */
  public static void requireStore(StoreUrl url) {
    if (url.scheme().equals("journal") && !url.location().isEmpty()) {
      JournalTool.requireJournal(Path.of(url.location()));
    }
  }

  /**
   * Returns the URL with which the command reads the store. The URL of a journal gets the option
   * {@code access=read} in place of the options of a writer, unless it has an option {@code
   * access}, because another process may have the journal open for writing.
   */
  private static String forReading(String url) {
    StoreUrl parsed = StoreUrl.parse(url);
    if (!parsed.scheme().equals("journal") || parsed.option("access").isPresent()) {
      return url;
    }
    int query = url.indexOf('?');
    Stream<String> options =
        query < 0 ? Stream.empty() : Stream.of(url.substring(query + 1).split("&"));
    return Stream.concat(
            options.filter(option -> !WRITER.matcher(option).lookingAt()), Stream.of("access=read"))
        .collect(Collectors.joining("&", (query < 0 ? url : url.substring(0, query)) + "?", ""));
  }

  private ParameterException none() {
    return wrongUsage(
        "Which store? Name it by --store URL, in PUNCTUAL_STORE, or as 'store=URL' in "
            + StoreOption.configFile(console().environment()));
  }
}
