package io.punctual.http.own;

import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Answer;
import io.punctual.http.json.JsonInput;
import io.punctual.http.json.JsonOutput;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Answers;
import io.punctual.http.route.AuditNote;
import io.punctual.http.route.Dispatch;
import io.punctual.http.route.Exchange;
import io.punctual.http.route.Media;
import io.punctual.http.route.Route;
import io.punctual.http.text.BadInputException;
import io.punctual.httpstore.service.Change;
import io.punctual.internal.message.CutText;
import io.punctual.view.JsonText;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of changes: the person, the change and the reason. An entry is a message that is due
 * when it may be forgotten, and a line of JSON in the log {@code io.punctual.audit}, which nobody
 * can change through the API. Thread-safe.
 */
public final class Audit implements Dispatch.Auditor {
  /** The queue of the entries. */
  static final String QUEUE = Dispatch.OWN_QUEUES + "audit";

  private static final Logger LOG = LoggerFactory.getLogger("io.punctual.http");
  private static final Logger AUDIT = LoggerFactory.getLogger("io.punctual.audit");
  private static final int LONGEST_REASON = 300;
  private static final Duration HOUR = Duration.ofHours(1);

  /** So many entries of an hour, the store keeps of callers who may schedule messages. */
  private static final int MOST_OF_PROGRAMS = 100;

  private final Queues queues;
  private final InstantSource clock;
  private final Duration kept;
  private Instant hour = Instant.EPOCH;
  private int ofPrograms;

  /** Creates it; entries are kept for a time. */
  public Audit(Queues queues, InstantSource clock, Duration kept) {
    this.queues = queues;
    this.clock = clock;
    this.kept = kept;
  }

  /** Returns the routes. */
  public List<Route> routes() {
    return List.of(
        Route.of("GET", "/v1/audit", this::list, Right.OPERATE, Right.ADMIN)
            .query("queue", "by", "cursor", "limit"));
  }

  @Override
  public void changed(Exchange exchange, int status) {
    Route route = exchange.match().route();
    AuditNote note = exchange.note();
    Map<String, String> path = exchange.match().path();
    String detail = note.detail();
    keep(
        new Tree()
            .put("by", exchange.caller().name())
            .put(
                "action",
                route.method() + " " + route.template() + (detail == null ? "" : " " + detail))
            .put("queue", path.getOrDefault("queue", note.queue()))
            .put("id", subject(exchange))
            .put("reason", reason(exchange))
            .put("status", status),
        isOfProgram(exchange));
  }

  /**
   * Keeps a change that a client of an HTTP store has made. Each such client may schedule messages,
   * so changes of messages count as those of a program.
   */
  public void changed(Caller by, Change change, int status) {
    List<String> ids = change.ids();
    keep(
        new Tree()
            .put("by", by.name())
            .put("action", "HTTP store: " + change.action())
            .put("queue", change.queue())
            .put("id", ids.isEmpty() ? null : ids.get(0))
            .put("messages", ids.size() > 1 ? ids.size() : null)
            .put("reason", change.reason())
            .put("status", status),
        !ids.isEmpty());
  }

  /** A caller who may schedule messages also cancels them, and can be a program that often does. */
  private static boolean isOfProgram(Exchange exchange) {
    String queue = exchange.match().path().get("queue");
    return queue != null
        && exchange.match().route().rights().contains(Right.PRODUCE)
        && exchange.caller().may(Right.PRODUCE, queue);
  }

  /** Returns the id of the message, or of what else is changed. */
  private static @Nullable String subject(Exchange exchange) {
    Map<String, String> path = exchange.match().path();
    String noted = exchange.note().id();
    if (noted != null) {
      return noted;
    }
    return path.entrySet().stream()
        .filter(part -> !part.getKey().equals("queue"))
        .map(Map.Entry::getValue)
        .findFirst()
        .or(() -> exchange.query().text("id"))
        .orElse(null);
  }

  private void keep(Tree change, boolean isOfProgram) {
    Instant now = clock.instant();
    byte[] entry =
        JsonOutput.tree(new Tree().put("at", Values.instant(now)).fields(change::toMap).toMap());
    AUDIT.info("{}", new String(entry, StandardCharsets.UTF_8));
    if (isOfProgram && isTooMany(now)) {
      return;
    }
    queues
        .open(QUEUE)
        .thenCompose(
            audit -> audit.async().schedule(Message.of(entry).dueIn(kept), IfPresent.REJECT))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "An entry of the audit is only in the log io.punctual.audit: {}",
                    failure.toString());
              }
            });
  }

  /** Counts an entry of a program, and returns whether the store keeps no more of this hour. */
  private synchronized boolean isTooMany(Instant now) {
    if (Duration.between(hour, now).abs().compareTo(HOUR) >= 0) {
      hour = now;
      ofPrograms = 0;
    }
    if (++ofPrograms == MOST_OF_PROGRAMS + 1) {
      LOG.info(
          "Callers with the right PRODUCE changed more than {} messages in an hour; further such"
              + " entries of the audit are only in the log io.punctual.audit",
          MOST_OF_PROGRAMS);
    }
    return ofPrograms > MOST_OF_PROGRAMS;
  }

  /** Returns the reason that a small JSON body states. */
  private static @Nullable String reason(Exchange exchange) {
    if (!exchange.type().equals(Media.JSON) || exchange.body().length == 0) {
      return null;
    }
    try {
      String reason = JsonInput.read(exchange.body(), input -> input.textOf("reason"));
      String cut = CutText.first(reason, LONGEST_REASON);
      return cut.isEmpty() ? null : cut;
    } catch (BadInputException e) {
      return null;
    }
  }

  private CompletionStage<Answer> list(Exchange exchange) {
    MessageQuery all =
        MessageQuery.of(State.SCHEDULED).newestFirst().limit(exchange.query().limit());
    MessageQuery query = exchange.query().text("cursor").map(all::after).orElse(all);
    return queues
        .open(QUEUE)
        .thenCompose((TimedQueue<byte[]> audit) -> audit.async().browse(query))
        .thenApply(page -> Answers.json(200, page(page, exchange)));
  }

  private static Map<String, @Nullable Object> page(
      Page<StoredMessage<byte[]>> page, Exchange exchange) {
    List<Object> entries = new ArrayList<>();
    for (StoredMessage<byte[]> message : page.items()) {
      JsonText.of(new String(message.payloadBytes(), StandardCharsets.UTF_8))
          .filter(entry -> isShown(entry, exchange))
          .ifPresent(entries::add);
    }
    return new Tree().put("entries", entries).put("next", page.next().orElse(null)).toMap();
  }

  private static boolean isShown(JsonText entry, Exchange exchange) {
    if (!(entry.value() instanceof Map<?, ?> fields)) {
      return false;
    }
    boolean isAll = exchange.caller().may(Right.ADMIN, "");
    boolean isOwn =
        fields.get("queue") instanceof String queue
            && (exchange.caller().may(Right.OPERATE, queue)
                || exchange.caller().may(Right.ADMIN, queue));
    return (isAll || isOwn)
        && exchange.query().text("queue").filter(q -> !q.equals(fields.get("queue"))).isEmpty()
        && exchange.query().text("by").filter(by -> !by.equals(fields.get("by"))).isEmpty();
  }
}
