package io.punctual.cli.command;

import io.punctual.Punctual;
import io.punctual.journal.JournalTool;
import io.punctual.spi.StoreUrl;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** A command that works on a store: opens the store, does its work, and closes the store. */
public abstract class StoreCommand extends ConsoleCommand {
  @Mixin private StoreOption store;

  /** Does the command's work and returns its exit code. */
  public abstract int run(Punctual punctual) throws Exception;

  /** Returns the default store, or empty if the user must name a store. */
  public Optional<String> storeByDefault() {
    return Optional.empty();
  }

  /** Returns whether the command only looks at its store. */
  public boolean isReadOnly() {
    return false;
  }

  /** Returns whether this call of the command does without its store. */
  public boolean needsNoStore() {
    return false;
  }

  /** Returns whether the command may create its store. */
  public boolean mayCreateStore() {
    return false;
  }

  @Override
  public final int execute() throws Exception {
    try (Punctual punctual = open()) {
      return run(punctual);
    } finally {
      cleanUp();
    }
  }

  /**
   * Removes the files of the default store. Called after the store is closed, or could not be
   * opened.
   */
  public void cleanUp() {}

  private Punctual open() {
    if (needsNoStore()) {
      return Punctual.open("memory:");
    }
    String url =
        store.url(console().environment()).or(this::storeByDefault).orElseThrow(this::none);
    try {
      if (!mayCreateStore()) {
        requireStore(StoreUrl.parse(url));
      }
      return console().stores().open(isReadOnly() ? forReading(url) : url);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  /** Refuses a journal that does not exist: to open it would create its folder. */
  public static void requireStore(StoreUrl url) {
    if (url.scheme().equals("journal") && !url.location().isEmpty()) {
      JournalTool.requireJournal(Path.of(url.location()));
    }
  }

  /**
   * Returns the URL with which the command reads the store. The URL of a journal gets the option
   * {@code access=read}, because another process may have the journal open for writing.
   */
  private static String forReading(String url) {
    StoreUrl parsed = StoreUrl.parse(url);
    if (!parsed.scheme().equals("journal") || parsed.option("access").isPresent()) {
      return url;
    }
    return url + (parsed.options().isEmpty() ? "?" : "&") + "access=read";
  }

  private ParameterException none() {
    return wrongUsage(
        "Which store? Name it by --store URL, in PUNCTUAL_STORE, or as 'store=URL' in "
            + StoreOption.configFile(console().environment()));
  }
}
