package io.punctual.cli.command;

import io.punctual.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/**
 * Creates objects for picocli, and gives the console to each {@link ConsoleCommand}.
 *
 * @param console the console of all commands
 */
public record CommandFactory(Console console) implements IFactory {
  @Override
  public <K> K create(Class<K> type) throws Exception {
    K created = CommandLine.defaultFactory().create(type);
    if (created instanceof ConsoleCommand command) {
      command.use(console);
    }
    return created;
  }
}
