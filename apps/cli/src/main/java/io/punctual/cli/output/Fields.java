package io.punctual.cli.output;

import io.punctual.view.Values;
import io.punctual.view.View;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import tools.jackson.core.JsonGenerator;

/**
 * The fields of entries, in their order: the label and the text of each in a table, and its
 * property in JSON. The methods that add a field return this object. Not thread-safe.
 *
 * @param <T> the entries
 */
public final class Fields<T> {
  private final List<String> labels = new ArrayList<>();
  private final List<Function<T, String>> texts = new ArrayList<>();
  private final List<BiConsumer<JsonGenerator, T>> properties = new ArrayList<>();

  /** Adds a field of tables only. */
  public Fields<T> cell(String label, Function<T, String> text) {
    labels.add(label);
    texts.add(text);
    return this;
  }

  /** Adds properties of JSON only. */
  public Fields<T> json(BiConsumer<JsonGenerator, T> property) {
    properties.add(property);
    return this;
  }

  /** Adds the fields of a view to JSON only. */
  public Fields<T> view(Function<T, View> view) {
    return json((json, entry) -> Json.writeFields(json, view.apply(entry)));
  }

  public Fields<T> text(String label, String name, Function<T, String> text) {
    return cell(label, text)
        .json((json, entry) -> json.writeStringProperty(name, text.apply(entry)));
  }

  public Fields<T> text(String name, Function<T, String> text) {
    return text(name, name, text);
  }

  public Fields<T> number(String label, String name, ToLongFunction<T> number) {
    return cell(label, entry -> Numbers.grouped(number.applyAsLong(entry))).json(name, number);
  }

  public Fields<T> number(String name, ToLongFunction<T> number) {
    return number(name, name, number);
  }

  /** Adds a number of JSON only. */
  public Fields<T> json(String name, ToLongFunction<T> number) {
    return json((json, entry) -> json.writeNumberProperty(name, number.applyAsLong(entry)));
  }

  public Fields<T> flag(String name, Predicate<T> flag) {
    return cell(name, entry -> flag.test(entry) ? "yes" : "no")
        .json((json, entry) -> json.writeBooleanProperty(name, flag.test(entry)));
  }

  /** Adds an instant that may be missing: an empty text in tables, and no property in JSON. */
  public Fields<T> instantIfAny(String label, String name, Function<T, Optional<Instant>> instant) {
    return cell(label, entry -> instant.apply(entry).map(Values::instant).orElse(""))
        .json(
            (json, entry) ->
                instant
                    .apply(entry)
                    .ifPresent(time -> json.writeStringProperty(name, Values.instant(time))));
  }

  /** Returns the labels of the table's columns. */
  public List<String> labels() {
    return List.copyOf(labels);
  }

  /** Returns one text for each column of the table. */
  public List<String> texts(T entry) {
    return texts.stream().map(text -> text.apply(entry)).toList();
  }

  /** Writes the properties of an object, without its braces. */
  public void write(JsonGenerator json, T entry) {
    properties.forEach(property -> property.accept(json, entry));
  }
}
