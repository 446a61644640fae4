package io.punctual.server.config;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A mapping of a YAML file. Its keys are those that were asked for: {@link #end} refuses any other.
 * A value may be {@code env:NAME}, a variable of the environment, or {@code file:PATH}, the content
 * of a private file. Not safe for use by many threads.
 */
final class Section {
  private static final Pattern SPAN = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

  /** Its nanoseconds are a number. */
  private static final Duration LONGEST = Duration.ofDays(100_000);

  private final Source source;
  private final @Nullable Node place;
  private final Map<String, Node> values = new LinkedHashMap<>();
  private final Set<String> asked = new TreeSet<>();
  private final Map<String, Set<Section>> parts = new LinkedHashMap<>();

  /** Where the text is from. */
  private record Source(Path file, Map<String, String> environment) {}

  private Section(Source source, @Nullable Node place) {
    this.source = source;
    this.place = place;
    if (place == null || Tag.NULL.equals(place.getTag())) {
      return;
    }
    if (!(place instanceof MappingNode mapping)) {
      throw failure(place, "must be a mapping of keys to values");
    }
    for (NodeTuple tuple : mapping.getValue()) {
      String key = scalar(tuple.getKeyNode());
      if (values.put(key, tuple.getValueNode()) != null) {
        throw failure(tuple.getKeyNode(), "'" + key + "' stands there twice");
      }
    }
  }

  /**
   * Parses a file's text.
   *
   * @throws ConfigException if the text is no YAML mapping
   */
  static Section parse(Path file, String text, Map<String, String> environment) {
    try {
      return new Section(
          new Source(file, environment),
          new Compose(LoadSettings.builder().setLabel(file.toString()).build())
              .composeString(text)
              .orElse(null));
    } catch (YamlEngineException e) {
      throw new ConfigException(file + " is no valid YAML: " + e.getMessage());
    }
  }

  private ConfigException failure(@Nullable Node where, String what) {
    String line =
        where == null
            ? ""
            : where.getStartMark().map(mark -> ":" + (mark.getLine() + 1)).orElse("");
    return new ConfigException(source.file + line + ": " + what);
  }

  /** Returns an exception that names the place of a key. */
  ConfigException failure(String key, String what) {
    return failure(values.getOrDefault(key, place), "'" + key + "' " + what);
  }

  private String scalar(Node node) {
    if (!(node instanceof ScalarNode scalar)) {
      throw failure(node, "must be a single value");
    }
    return scalar.getValue();
  }

  private @Nullable Node find(String key) {
    asked.add(key);
    Node node = values.get(key);
    return node == null || Tag.NULL.equals(node.getTag()) ? null : node;
  }

  private String resolved(Node node) {
    String text = scalar(node);
    if (text.startsWith("env:")) {
      String value = source.environment.get(text.substring(4));
      if (value == null) {
        throw failure(node, "the environment has no variable " + text.substring(4));
      }
      return value;
    }
    return text.startsWith("file:") ? PrivateFile.read(relative(text.substring(5))).strip() : text;
  }

  private Path relative(String path) {
    return source.file.toAbsolutePath().resolveSibling(path);
  }

  /** Returns a text, or null if the key is absent. */
  @Nullable String text(String key) {
    Node node = find(key);
    return node == null ? null : resolved(node);
  }

  /** Returns a text that must be there. */
  String requiredText(String key) {
    String text = text(key);
    if (text == null) {
      throw failure(place, "'" + key + "' is missing");
    }
    return text;
  }

  /** Returns a path, relative to the folder of the file, or null if the key is absent. */
  @Nullable Path path(String key) {
    Node node = find(key);
    return node == null ? null : relative(scalar(node));
  }

  /** Returns a text as a value of another type, whose {@link RuntimeException} tells why not. */
  <T> @Nullable T value(String key, Function<String, T> type) {
    String text = text(key);
    try {
      return text == null ? null : type.apply(text);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw failure(key, "is wrong: " + e.getMessage());
    }
  }

  /** Returns an instant, or null if the key is absent. */
  @Nullable Instant instant(String key) {
    return value(key, Instant::parse);
  }

  /** Returns a whole number within bounds. */
  long number(String key, long absent, long least, long most) {
    Long number = value(key, Long::valueOf);
    if (number != null && (number < least || number > most)) {
      throw failure(key, "must be " + least + " to " + most);
    }
    return number == null ? absent : number;
  }

  /** Returns a span such as {@code 10s}. */
  Duration span(String key, Duration absent) {
    Duration span = value(key, Section::span);
    return span == null ? absent : span;
  }

  /** Returns a list of spans. */
  List<Duration> spans(String key, List<Duration> absent) {
    if (!has(key)) {
      return absent;
    }
    try {
      return texts(key).stream().map(Section::span).toList();
    } catch (IllegalArgumentException e) {
      throw failure(key, "is wrong: " + e.getMessage());
    }
  }

  private static Duration span(String text) {
    Matcher parts = SPAN.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("it must be a number with ms, s, m, h or d: " + text);
    }
    long number = Long.parseLong(parts.group(1));
    Duration span =
        switch (parts.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          case "m" -> Duration.ofMinutes(number);
          case "h" -> Duration.ofHours(number);
          default -> Duration.ofDays(number);
        };
    if (span.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("it must be at most 100000d: " + text);
    }
    return span;
  }

  /** Returns whether a switch is on. */
  boolean isOn(String key) {
    String text = text(key);
    if (text == null || text.equals("false")) {
      return false;
    }
    if (!text.equals("true")) {
      throw failure(key, "must be true or false");
    }
    return true;
  }

  /** Returns the mapping of a key; an empty one if the key is absent. */
  Section section(String key) {
    return part(key, find(key));
  }

  private Section part(String key, @Nullable Node node) {
    Section part = new Section(source, node);
    parts.computeIfAbsent(key, first -> new LinkedHashSet<>()).add(part);
    return part;
  }

  /** Returns whether the key is there. */
  boolean has(String key) {
    return find(key) != null;
  }

  /** Returns the mappings of a list; none if the key is absent. */
  List<Section> sections(String key) {
    return nodes(key).stream().map(node -> part(key, node)).toList();
  }

  /** Returns the texts of a list, or the only text; none if the key is absent. */
  List<String> texts(String key) {
    return nodes(key).stream().map(this::resolved).toList();
  }

  private List<Node> nodes(String key) {
    Node node = find(key);
    if (node == null) {
      return List.of();
    }
    return node instanceof SequenceNode sequence ? sequence.getValue() : List.of(node);
  }

  /** Returns all keys, which are names that the user gives. */
  List<String> names() {
    asked.addAll(values.keySet());
    return List.copyOf(values.keySet());
  }

  /** Refuses the keys that nobody asked for, here and in all parts. */
  void end() {
    for (Map.Entry<String, Node> entry : values.entrySet()) {
      if (!asked.contains(entry.getKey())) {
        throw failure(
            entry.getKey(), "is unknown; the nearest key is '" + nearest(entry.getKey()) + "'");
      }
    }
    parts.values().forEach(list -> list.forEach(Section::end));
  }

  /** Returns the keys that were asked for, here and in all parts, with a dot before a part. */
  Set<String> known() {
    Set<String> known = new TreeSet<>(asked);
    parts.forEach(
        (key, list) ->
            list.forEach(part -> part.known().forEach(name -> known.add(key + "." + name))));
    return known;
  }

  /** Returns the keys that were asked for and have a value, as {@link #known} does. */
  Set<String> present() {
    Set<String> present = new TreeSet<>(values.keySet());
    parts.forEach(
        (key, list) ->
            list.forEach(part -> part.present().forEach(name -> present.add(key + "." + name))));
    return present;
  }

  private String nearest(String key) {
    String nearest = "";
    int least = Integer.MAX_VALUE;
    for (String candidate : asked) {
      int distance = Spelling.distance(key, candidate);
      if (distance < least) {
        least = distance;
        nearest = candidate;
      }
    }
    return nearest;
  }
}
