package io.punctual.http.route;

import io.punctual.http.access.Caller;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.RequestHead;
import io.punctual.http.problem.Problem;
import io.punctual.view.Outcome;
import io.punctual.view.Redaction;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A request whose caller has the rights of its route.
 *
 * @param head the head
 * @param match the route and the parameters
 * @param caller who called
 * @param callerNow judges the caller again, for an answer that is streamed; throws what a request
 *     would be refused with
 * @param body the whole body
 * @param client the client that waits for the answer
 * @param note what the change concerns, for the audit
 */
public record Exchange(
    RequestHead head,
    Router.Match match,
    Caller caller,
    Supplier<Caller> callerNow,
    byte[] body,
    Client client,
    AuditNote note) {
  /** Returns the parameters of the query. */
  public Query query() {
    return match.query();
  }

  /** Returns a parameter of the path. */
  public String path(String name) {
    return Objects.requireNonNull(match.path().get(name), name);
  }

  /** Returns the name of the queue. */
  public String queue() {
    return path("queue");
  }

  /** Returns the id of the message, from the path or the query. */
  public String id() {
    String id = match.path().get("id");
    return id == null ? query().required("id") : id;
  }

  /** Returns whether the caller sees payloads, headers and the texts of failures of a queue. */
  public boolean seesPayloads(String queue) {
    return caller.may(Right.PAYLOADS, queue);
  }

  /** Returns what the caller sees of the messages of a queue. */
  public Redaction redaction(String queue) {
    return seesPayloads(queue) ? Redaction.NONE : Redaction.CONTENTS;
  }

  /** Refuses to show, or to select by, what {@link Redaction#CONTENTS} hides. */
  public void requirePayloads(String queue) {
    if (!seesPayloads(queue)) {
      throw Problem.of(
              Outcome.FORBIDDEN,
              "The caller has not the right PAYLOADS to this queue, and so can't see its payloads,"
                  + " headers and texts of failures, nor look for one")
          .exception();
    }
  }

  /** Returns the type of the body, or an empty text. */
  public String type() {
    String type = head.header("Content-Type");
    return type == null ? "" : Media.type(type);
  }

  /** Refuses a body without a type, which could be anything. */
  void checkBody() {
    if (body.length > 0 && type().isEmpty() && !match.route().consumes().isEmpty()) {
      throw Problem.of(
              Outcome.UNSUPPORTED_MEDIA_TYPE,
              "The body has no Content-Type; send it as "
                  + String.join(" or ", match.route().consumes()))
          .exception();
    }
  }
}
