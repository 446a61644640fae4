package io.punctual.cli.command;

import io.punctual.Punctual;

/** A command that works on a store: opens the store, does its work, and closes the store. */
public abstract class StoreCommand extends StoreUrlCommand {
  /** Does the command's work and returns its exit code. */
  public abstract int run(Punctual punctual) throws Exception;

  public boolean needsNoStore() {
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

  /** Returns whether the messages of the store end with this command. */
  protected static boolean isInMemory(Punctual punctual) {
    return punctual.store().startsWith("memory:");
  }

  /**
   * Removes the files of the default store, if it has temporary files. Called after the store is
   * closed, or could not be opened.
   */
  public void cleanUp() {}

  private Punctual open() {
    return needsNoStore() ? Punctual.open("memory:") : openStore();
  }
}
