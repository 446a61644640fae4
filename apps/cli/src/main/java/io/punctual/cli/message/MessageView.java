package io.punctual.cli.message;

import io.punctual.Failure;
import io.punctual.LeaseHolder;
import io.punctual.StoredMessage;
import io.punctual.UndecodableException;
import io.punctual.cli.input.Payload;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.Json;
import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.OutputFormat;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * A message in the store with all of its fields.
 *
 * @param message the message
 * @param next the next occurrences of a recurring message
 */
public record MessageView(StoredMessage<byte[]> message, NextOccurrences next) implements Listed {
  private static final String[] LABELS = {
    "id",
    "state",
    "created",
    "due",
    "recurrence",
    "then",
    "not after",
    "attempts",
    "leased until",
    "leased by",
    "remembered until",
    "cancelled",
    "died",
    "reason",
    "origin",
    "failures",
    "headers",
    "payload"
  };

  MessageView(StoredMessage<byte[]> message) {
    this(message, NextOccurrences.of(message, Instant.now()));
  }

  /** Prints the fields of a message. */
  public static void show(Console console, OutputFormat format, StoredMessage<byte[]> message) {
    Listing.show(console, format, new MessageView(message), LABELS);
  }

  String state() {
    return message.state().name().toLowerCase(Locale.ROOT);
  }

  @Override
  public List<String> cells() {
    return List.of(
        message.id(),
        state(),
        text(message.createdAt()),
        Json.instant(message.dueAt()),
        next.recurrence(),
        next.text("\n"),
        text(message.notAfter()),
        Integer.toString(message.attempts()),
        text(message.leasedUntil()),
        holder(),
        text(message.rememberedUntil()),
        message.isCancelled() ? "yes: not delivered again" : "",
        text(message.diedAt()),
        reason(),
        message.failureOrigin().orElse(""),
        message.failures().stream().map(MessageView::text).collect(Collectors.joining("\n")),
        headers(message.headers()),
        payload());
  }

  /** Returns the holder of the lease, or an empty text if there is none. */
  String holder() {
    return message.leaseHolder().map(LeaseHolder::describe).orElse("");
  }

  /** Returns the reason of a dead letter and its details; an empty text for other messages. */
  String reason() {
    String details = message.reason().orElse("");
    return message.deadReason().map(reason -> reason + ": " + details).orElse(details);
  }

  private static String text(Optional<Instant> instant) {
    return instant.map(Json::instant).orElse("");
  }

  private static String text(Failure failure) {
    return "attempt "
        + failure.attempt()
        + " at "
        + Json.instant(failure.at())
        + ": "
        + failure.error().replaceAll("\\R\\s*", " ");
  }

  private static String headers(Map<String, String> headers) {
    return headers.entrySet().stream()
        .map(header -> header.getKey() + "=" + header.getValue())
        .sorted()
        .collect(Collectors.joining(", "));
  }

  /** Returns the payload as text, only its length if it is not text, or that it is damaged. */
  String payload() {
    byte[] bytes = bytes();
    if (bytes == null) {
      return "(damaged: the store could not read it)";
    }
    return Payload.text(bytes).orElse("(" + Numbers.grouped(bytes.length) + " bytes)");
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeStringProperty("id", message.id());
    json.writeStringProperty("state", message.state().name());
    write(json, "createdAt", message.createdAt());
    json.writeStringProperty("dueAt", Json.instant(message.dueAt()));
    if (next.isRecurring()) {
      json.writeStringProperty("recurrence", next.recurrence());
      json.writeStringProperty("occurrence", Json.instant(message.occurrence()));
      json.writeArrayPropertyStart("nextOccurrences");
      next.times().forEach(time -> json.writeString(Json.instant(time)));
      json.writeEndArray();
    }
    write(json, "notAfter", message.notAfter());
    json.writeNumberProperty("attempts", message.attempts());
    write(json, "leasedUntil", message.leasedUntil());
    message.leaseHolder().ifPresent(holder -> write(json, holder));
    write(json, "rememberedUntil", message.rememberedUntil());
    if (message.isCancelled()) {
      json.writeBooleanProperty("cancelled", true);
    }
    write(json, "diedAt", message.diedAt());
    message.deadReason().ifPresent(reason -> json.writeStringProperty("deadReason", reason.name()));
    message.reason().ifPresent(reason -> json.writeStringProperty("reason", reason));
    message.failureOrigin().ifPresent(origin -> json.writeStringProperty("origin", origin));
    if (!message.failures().isEmpty()) {
      json.writeArrayPropertyStart("failures");
      message.failures().forEach(failure -> write(json, failure));
      json.writeEndArray();
    }
    json.writeObjectPropertyStart("headers");
    message.headers().forEach(json::writeStringProperty);
    json.writeEndObject();
    byte[] bytes = bytes();
    if (bytes == null) {
      json.writeBooleanProperty("damaged", true);
    } else {
      Payload.write(json, bytes);
    }
  }

  /** Returns the bytes of the payload, or null if the store could not read them. */
  private byte @Nullable [] bytes() {
    try {
      return message.payloadBytes();
    } catch (UndecodableException e) {
      return null;
    }
  }

  private static void write(JsonGenerator json, String name, Optional<Instant> instant) {
    instant.ifPresent(time -> json.writeStringProperty(name, Json.instant(time)));
  }

  private static void write(JsonGenerator json, LeaseHolder holder) {
    json.writeObjectPropertyStart("leaseHolder");
    json.writeStringProperty("session", holder.session());
    json.writeArrayPropertyStart("workers");
    holder.workers().forEach(json::writeString);
    json.writeEndArray();
    holder.host().ifPresent(host -> json.writeStringProperty("host", host));
    holder.pid().ifPresent(pid -> json.writeNumberProperty("pid", pid));
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, Failure failure) {
    json.writeStartObject();
    json.writeNumberProperty("attempt", failure.attempt());
    json.writeStringProperty("at", Json.instant(failure.at()));
    json.writeStringProperty("error", failure.error());
    json.writeEndObject();
  }
}
