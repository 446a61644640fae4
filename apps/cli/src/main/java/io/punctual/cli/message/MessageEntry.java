package io.punctual.cli.message;

import io.punctual.Failure;
import io.punctual.LeaseHolder;
import io.punctual.StoredMessage;
import io.punctual.UndecodableException;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.EnumNames;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.OutputFormat;
import io.punctual.view.MessageView;
import io.punctual.view.PayloadView;
import io.punctual.view.RecurrenceView;
import io.punctual.view.Redaction;
import io.punctual.view.Values;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A message in the store with all of its fields.
 *
 * @param message the message
 * @param view what all programs show of it
 */
public record MessageEntry(StoredMessage<byte[]> message, MessageView view) {
  static final Fields<MessageEntry> FIELDS =
      new Fields<MessageEntry>()
          .cell("id", entry -> entry.view.id())
          .cell("state", MessageEntry::state)
          .cell("created", entry -> some(entry.view.createdAt()))
          .cell("due", entry -> entry.view.dueAt())
          .cell("recurrence", MessageEntry::recurrence)
          .cell("then", entry -> entry.next("\n"))
          .cell("not after", entry -> some(entry.view.notAfter()))
          .cell("attempts", entry -> Integer.toString(entry.view.attempts()))
          .cell("leased until", entry -> some(entry.view.leasedUntil()))
          .cell("leased by", MessageEntry::holder)
          .cell("remembered until", entry -> some(entry.view.rememberedUntil()))
          .cell("cancelled", entry -> entry.message.isCancelled() ? "yes: not delivered again" : "")
          .cell("died", entry -> some(entry.view.diedAt()))
          .cell("reason", MessageEntry::reason)
          .cell("origin", entry -> entry.message.failureOrigin().orElse(""))
          .cell("failures", MessageEntry::failures)
          .cell("headers", entry -> headers(entry.message.headers()))
          .cell("payload", MessageEntry::payload)
          .view(MessageEntry::view);

  MessageEntry(StoredMessage<byte[]> message) {
    this(message, MessageView.of(message, Redaction.NONE));
  }

  /** Prints the fields of a message. */
  public static void show(Console console, OutputFormat format, StoredMessage<byte[]> message) {
    Listing.show(console, format, FIELDS, new MessageEntry(message));
  }

  private static String some(@Nullable String text) {
    return text == null ? "" : text;
  }

  boolean isRecurring() {
    return view.recurrence() != null;
  }

  /** Returns the recurrence, or an empty text if there is none. */
  String recurrence() {
    RecurrenceView found = view.recurrence();
    return found == null ? "" : found.recurrence();
  }

  String next(String separator) {
    RecurrenceView found = view.recurrence();
    return found == null ? "" : String.join(separator, found.nextOccurrences());
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
    return message.failures().stream().map(MessageEntry::text).collect(Collectors.joining("\n"));
  }

  private static String text(Failure failure) {
    return "attempt "
        + failure.attempt()
        + " at "
        + Values.instant(failure.at())
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
    return PayloadView.text(bytes).orElse("(" + Numbers.grouped(bytes.length) + " bytes)");
  }

  /** Returns the bytes of the payload, or null if the store could not read them. */
  private byte @Nullable [] bytes() {
    try {
      return message.payloadBytes();
    } catch (UndecodableException e) {
      return null;
    }
  }
}
