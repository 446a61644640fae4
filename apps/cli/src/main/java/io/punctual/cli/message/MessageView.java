package io.punctual.cli.message;

import io.punctual.Failure;
import io.punctual.LeaseHolder;
import io.punctual.StoredMessage;
import io.punctual.UndecodableException;
import io.punctual.cli.input.Payload;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.EnumNames;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Json;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.OutputFormat;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * A message in the store with all of its fields.
 *
 * @param message the message
 * @param next the next occurrences of a recurring message
 */
public record MessageView(StoredMessage<byte[]> message, NextOccurrences next) {
  static final Fields<MessageView> FIELDS =
      new Fields<MessageView>()
          .text("id", view -> view.message.id())
          .cell("state", MessageView::state)
          .json((json, view) -> json.writeStringProperty("state", view.message.state().name()))
          .instantIfAny("created", "createdAt", view -> view.message.createdAt())
          .instant("due", "dueAt", view -> view.message.dueAt())
          .cell("recurrence", view -> view.next.recurrence())
          .cell("then", view -> view.next.text("\n"))
          .json(MessageView::writeRecurrence)
          .instantIfAny("not after", "notAfter", view -> view.message.notAfter())
          .cell("attempts", view -> Integer.toString(view.message.attempts()))
          .json("attempts", view -> view.message.attempts())
          .instantIfAny("leased until", "leasedUntil", view -> view.message.leasedUntil())
          .cell("leased by", MessageView::holder)
          .json((json, view) -> view.message.leaseHolder().ifPresent(by -> write(json, by)))
          .instantIfAny(
              "remembered until", "rememberedUntil", view -> view.message.rememberedUntil())
          .cell("cancelled", view -> view.message.isCancelled() ? "yes: not delivered again" : "")
          .json(MessageView::writeCancelled)
          .instantIfAny("died", "diedAt", view -> view.message.diedAt())
          .cell("reason", MessageView::reason)
          .cell("origin", view -> view.message.failureOrigin().orElse(""))
          .cell("failures", MessageView::failures)
          .json(MessageView::writeFailures)
          .cell("headers", view -> headers(view.message.headers()))
          .cell("payload", MessageView::payload)
          .json(MessageView::writeContent);

  MessageView(StoredMessage<byte[]> message) {
    this(message, NextOccurrences.of(message, Instant.now()));
  }

  /** Prints the fields of a message. */
  public static void show(Console console, OutputFormat format, StoredMessage<byte[]> message) {
    Listing.show(console, format, FIELDS, new MessageView(message));
  }

  String state() {
    return EnumNames.of(message.state());
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

  private String failures() {
    return message.failures().stream().map(MessageView::text).collect(Collectors.joining("\n"));
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

  private static void writeRecurrence(JsonGenerator json, MessageView view) {
    if (view.next.isRecurring()) {
      json.writeStringProperty("recurrence", view.next.recurrence());
      json.writeStringProperty("occurrence", Json.instant(view.message.occurrence()));
      json.writeArrayPropertyStart("nextOccurrences");
      view.next.times().forEach(time -> json.writeString(Json.instant(time)));
      json.writeEndArray();
    }
  }

  private static void writeCancelled(JsonGenerator json, MessageView view) {
    if (view.message.isCancelled()) {
      json.writeBooleanProperty("cancelled", true);
    }
  }

  private static void writeFailures(JsonGenerator json, MessageView view) {
    StoredMessage<?> message = view.message;
    message.deadReason().ifPresent(reason -> json.writeStringProperty("deadReason", reason.name()));
    message.reason().ifPresent(reason -> json.writeStringProperty("reason", reason));
    message.failureOrigin().ifPresent(origin -> json.writeStringProperty("origin", origin));
    if (!message.failures().isEmpty()) {
      json.writeArrayPropertyStart("failures");
      message.failures().forEach(failure -> write(json, failure));
      json.writeEndArray();
    }
  }

  private static void writeContent(JsonGenerator json, MessageView view) {
    json.writeObjectPropertyStart("headers");
    view.message.headers().forEach(json::writeStringProperty);
    json.writeEndObject();
    byte[] bytes = view.bytes();
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
