package io.punctual.cli;

import io.punctual.cli.command.CommandFactory;
import io.punctual.cli.command.StoreOption;
import io.punctual.cli.deadletter.DeadLettersGroupCommand;
import io.punctual.cli.demo.DemoCommand;
import io.punctual.cli.journal.JournalCommand;
import io.punctual.cli.lock.LockGroupCommand;
import io.punctual.cli.migration.ImportGroupCommand;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.ErrorReporter;
import io.punctual.cli.output.Terminal;
import io.punctual.cli.queue.CancelCommand;
import io.punctual.cli.queue.DeleteCommand;
import io.punctual.cli.queue.DoctorCommand;
import io.punctual.cli.queue.ForecastCommand;
import io.punctual.cli.queue.LimitsCommand;
import io.punctual.cli.queue.ListCommand;
import io.punctual.cli.queue.PauseCommand;
import io.punctual.cli.queue.PurgeCommand;
import io.punctual.cli.queue.QueuesCommand;
import io.punctual.cli.queue.RescheduleCommand;
import io.punctual.cli.queue.ResumeCommand;
import io.punctual.cli.queue.RunNowCommand;
import io.punctual.cli.queue.ShowCommand;
import io.punctual.cli.queue.StatsCommand;
import io.punctual.cli.queue.WatchCommand;
import io.punctual.cli.queue.WorkersCommand;
import io.punctual.cli.rabbitmq.RabbitmqIntakeCommand;
import io.punctual.cli.server.ServerCommand;
import io.punctual.cli.transfer.ConsumeCommand;
import io.punctual.cli.transfer.CopyCommand;
import io.punctual.cli.transfer.PipeCommand;
import io.punctual.cli.transfer.ScheduleCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root command. Its subcommands do the work. */
@Command(
    name = "punctual",
    description = "A delay queue: delivers messages when they are due.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed, or done in part",
      "2:wrong usage",
      "3:no such queue, message or lock",
      "4:nothing was stored, since the id exists",
      "5:the store can't be reached, or gave no answer",
      "130:ended by Ctrl-C",
      "143:ended by a signal to terminate"
    },
    footer = {
      "",
      "The store is the URL of --store, before or after the command, else of PUNCTUAL_STORE, else"
          + " of the line 'store=URL' in ~/.config/punctual/config.properties."
    })
final class PunctualCommand implements Runnable {
  static final List<Class<?>> COMMANDS =
      List.of(
          DemoCommand.class,
          PipeCommand.class,
          ScheduleCommand.class,
          ConsumeCommand.class,
          CancelCommand.class,
          RescheduleCommand.class,
          RunNowCommand.class,
          ShowCommand.class,
          ListCommand.class,
          QueuesCommand.class,
          StatsCommand.class,
          WatchCommand.class,
          WorkersCommand.class,
          DoctorCommand.class,
          ForecastCommand.class,
          PauseCommand.class,
          ResumeCommand.class,
          LimitsCommand.class,
          PurgeCommand.class,
          DeleteCommand.class,
          CopyCommand.class,
          DeadLettersGroupCommand.class,
          LockGroupCommand.class,
          JournalCommand.class,
          ServerCommand.class,
          RabbitmqIntakeCommand.class,
          ImportGroupCommand.class,
          AutoComplete.GenerateCompletion.class,
          ManPageCommand.class,
          HelpCommand.class);

  /**
   * An option whose value begins with a dash. Only with such an option, picocli may take the name
   * of an option for a value: else an option without its value would take the next option.
   */
  private static final Pattern WITH_DASH = Pattern.compile("(?s)--[a-z-]+=-.*");

  private static final Set<String> ABOUT_ALL =
      Set.of("help", "generate-completion", "generate-man-page");

  @Spec private CommandSpec spec;

  @Mixin StoreOption store;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which command?");
  }

  /** Runs the command that the arguments name and returns its exit code. */
  static int run(Console console, String... given) {
    String[] args = helpLast(given);
    StringWriter usage = new StringWriter();
    CommandLine commands = commandLine(console, needed(args));
    ErrorReporter failures = new ErrorReporter(console);
    commands
        .setOut(new PrintWriter(usage))
        .setErr(console.err())
        .setColorScheme(CommandLine.Help.defaultColorScheme(ansi(console.terminal())))
        .setAllowOptionsAsOptionParameters(
            Stream.of(args)
                .takeWhile(arg -> !arg.equals("--"))
                .anyMatch(WITH_DASH.asMatchPredicate()))
        .setUsageHelpWidth(Math.max(55, Math.min(100, console.terminal().columns())))
        .setParameterExceptionHandler(failures::wrongUsage)
        .setExecutionExceptionHandler(failures::failed);
    int exitCode = commands.execute(args);
    return failures.whileWriting(
        exitCode,
        () -> {
          console.out().print(usage.toString());
          console.out().flush();
        });
  }

  /** Returns a parser that knows these commands. */
  static CommandLine commandLine(Console console, List<Class<?>> types) {
    CommandLine commands = new CommandLine(new PunctualCommand(), new CommandFactory(console));
    types.forEach(commands::addSubcommand);
    return commands.setCaseInsensitiveEnumValuesAllowed(true).setExpandAtFiles(false);
  }

  /**
   * Rewrites {@code help dead-letters redrive} to {@code dead-letters redrive --help}, because
   * picocli does not support help for a command of a group.
   */
  private static String[] helpLast(String... args) {
    if (args.length < 3 || !args[0].equals("help")) {
      return args;
    }
    String[] moved = Arrays.copyOfRange(args, 1, args.length + 1);
    moved[args.length - 1] = "--help";
    return moved;
  }

  /**
   * Returns the commands that picocli must know: the called command alone if its name comes first,
   * or directly after {@code --store URL}; else all commands. {@code help} and similar commands
   * need all commands, too. Picocli reads the description of each command that it knows; to read
   * all descriptions takes longer than the rest of the start.
   */
  private static List<Class<?>> needed(String... args) {
    int first = StoreOption.commandIndex(args);
    String name = first < args.length ? args[first] : "";
    boolean wantsAll = name.isEmpty() || ABOUT_ALL.contains(name);
    List<Class<?>> called =
        COMMANDS.stream()
            .filter(type -> !wantsAll && type.getAnnotation(Command.class).name().equals(name))
            .toList();
    return called.isEmpty() ? COMMANDS : called;
  }

  private static Ansi ansi(Terminal terminal) {
    return terminal.out() && terminal.colour() ? Ansi.ON : Ansi.OFF;
  }
}
