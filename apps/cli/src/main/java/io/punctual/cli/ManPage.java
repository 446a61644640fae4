package io.punctual.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * A manual page in the format of man(1), with all commands on one page.
 *
 * @param root the root command
 */
record ManPage(CommandSpec root) {
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "PUNCTUAL_RABBITMQ", "The broker of rabbitmq-intake, unless its config file has one.",
          "PUNCTUAL_STORE", "The store of commands without --store.",
          "XDG_CONFIG_HOME", "The folder of punctual/config.properties (default: ~/.config).",
          "NO_COLOR", "Turns colours off unless it is empty.");

  @Override
  public String toString() {
    StringBuilder page = new StringBuilder();
    page.append(".TH PUNCTUAL 1 \"\" \"").append(text(root.version()[0])).append("\"\n");
    page.append(".SH NAME\npunctual \\- ").append(description(root.usageMessage())).append('\n');
    page.append(".SH SYNOPSIS\n").append(synopsis(root)).append('\n');
    page.append(".SH OPTIONS\n");
    options(page, root);
    page.append(".SH COMMANDS\n");
    commands(page, root);
    page.append(".SH EXIT STATUS\n");
    root.usageMessage().exitCodeList().forEach((code, meaning) -> item(page, code, meaning));
    page.append(".SH ENVIRONMENT\n");
    ENVIRONMENT.keySet().stream()
        .sorted()
        .forEach(name -> item(page, name, String.valueOf(ENVIRONMENT.get(name))));
    page.append(".SH FILES\n");
    item(page, "~/.config/punctual/config.properties", "The line store=URL names the store.");
    return page.toString();
  }

  private static void commands(StringBuilder page, CommandSpec around) {
    for (CommandLine command : List.copyOf(around.subcommands().values())) {
      CommandSpec spec = command.getCommandSpec();
      page.append(".SS ").append(text(spec.qualifiedName())).append('\n');
      page.append(synopsis(spec)).append("\n.PP\n");
      page.append(description(spec.usageMessage())).append('\n');
      for (PositionalParamSpec parameter : spec.positionalParameters()) {
        item(page, parameter.paramLabel(), description(parameter), parameter.hidden());
      }
      options(page, spec);
      commands(page, spec);
    }
  }

  private static void options(StringBuilder page, CommandSpec spec) {
    for (OptionSpec option : spec.options()) {
      String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
      item(
          page,
          String.join(", ", Arrays.asList(option.names())) + value,
          description(option),
          option.hidden());
    }
  }

  private static void item(StringBuilder page, String name, String meaning, boolean hidden) {
    if (!hidden) {
      item(page, name, meaning);
    }
  }

  private static void item(StringBuilder page, String name, String meaning) {
    page.append(".TP\n.B ").append(text(name)).append('\n').append(text(meaning)).append('\n');
  }

  private static String synopsis(CommandSpec spec) {
    String plain = new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF)).synopsis(0);
    return text(plain.strip().replaceAll("\\s+", " "));
  }

  private static String description(UsageMessageSpec usage) {
    return Arrays.stream(usage.description())
        .flatMap(line -> Arrays.stream(line.split("%n", -1)))
        .map(line -> line.isEmpty() ? ".PP" : text(line))
        .collect(Collectors.joining("\n"));
  }

  private static String description(ArgSpec argument) {
    String byDefault = String.valueOf(argument.defaultValueString(false));
    return String.join(" ", argument.description())
        .replace("%n", " ")
        .replace("${DEFAULT-VALUE}", byDefault);
  }

  /** Escapes the characters that have a special meaning in the format. */
  private static String text(String plain) {
    String escaped = plain.replace("\\", "\\e").replace("-", "\\-");
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }
}
