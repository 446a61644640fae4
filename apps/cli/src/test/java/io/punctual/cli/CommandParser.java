package io.punctual.cli;

import io.punctual.Punctual;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.Stdout;
import io.punctual.cli.output.Stop;
import io.punctual.cli.output.Terminal;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Parses commands without running them. */
public final class CommandParser {
  private CommandParser() {}

  private static CommandLine commands() {
    Console console =
        new Console(
            InputStream.nullInputStream(),
            new Stdout(OutputStream.nullOutputStream()),
            new PrintWriter(Writer.nullWriter()),
            Terminal.NONE,
            Map.of(),
            Punctual::open,
            new Stop());
    return PunctualCommand.commandLine(console, PunctualCommand.COMMANDS);
  }

  /** Throws an exception if the words are not a valid command. */
  public static void parse(List<String> words) {
    Object unused = commands().parseArgs(words.toArray(new String[0]));
  }

  /**
   * Returns the names of the commands, except {@code help}. Instead of a group, the list has the
   * commands of the group.
   */
  public static List<String> names() {
    return commands().getSubcommands().values().stream()
        .flatMap(
            command ->
                command.getSubcommands().isEmpty()
                    ? Stream.of(command)
                    : command.getSubcommands().values().stream())
        .map(command -> command.getCommandSpec().qualifiedName().replaceFirst("punctual ", ""))
        .filter(name -> !name.startsWith("help"))
        .toList();
  }
}
