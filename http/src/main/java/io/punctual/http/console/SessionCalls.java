package io.punctual.http.console;

import io.punctual.http.access.AuditLog;
import io.punctual.http.access.LinkSignIn;
import io.punctual.http.access.UnauthenticatedException;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.RequestHead;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.json.JsonOutput;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.http.text.BadInputException;
import io.punctual.view.Outcome;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Requests to {@code /console/session}: POST exchanges the secret of a link for a session, and
 * DELETE ends the session. Thread-safe.
 */
record SessionCalls(LinkSignIn links) {
  private static final Fields FIELDS = Fields.of("link");
  private static final int MOST_BYTES = 256;

  /** Returns the answer to a request that begins or ends a session. */
  Call accept(RequestHead head) {
    return new Call() {
      @Override
      public long maxBody() {
        return head.method().equals("POST") ? MOST_BYTES : 0;
      }

      @Override
      public Answer tooLarge() {
        return Problem.of(Outcome.TOO_LARGE, "Send no more than the link").answer();
      }

      @Override
      public CompletionStage<Answer> answer(byte[] body, Client client) {
        Answer answer;
        try {
          answer = head.method().equals("POST") ? begin(head, body) : end(head);
        } catch (RuntimeException e) {
          answer = e instanceof UnauthenticatedException ? refusal(e) : Problems.of(e).answer();
        }
        return CompletableFuture.completedFuture(answer);
      }
    };
  }

  private Answer begin(RequestHead head, byte[] body) {
    String secret = JsonInput.read(body, SessionCalls::link);
    LinkSignIn.Halves halves = links.use(secret);
    if (halves == null) {
      throw new UnauthenticatedException(
          "The link works once, for five minutes after the start of the server. Sign in with a"
              + " token, or start the server again for a new link");
    }
    AuditLog.write(head.remoteAddress(), "SIGN_IN_BY_LINK");
    return new Answer(
        200,
        Map.of(
            "Content-Type",
            "application/json",
            "Cache-Control",
            "no-store",
            "Set-Cookie",
            cookie(
                head, halves.cookieName(), halves.cookie(), LinkSignIn.SESSION_LIFE.toSeconds())),
        new Answer.Bytes(JsonOutput.tree(Map.of("key", halves.key()))),
        Answer.Written.NOTHING);
  }

  private static String link(JsonInput input) {
    String[] link = new String[1];
    input.object(FIELDS, name -> link[0] = input.text());
    if (link[0] == null) {
      throw new BadInputException("The field 'link' is missing");
    }
    return link[0];
  }

  private Answer end(RequestHead head) {
    links.authenticate(head);
    links.end();
    return new Answer(204, Map.of(), new Answer.Bytes(new byte[0]), Answer.Written.NOTHING);
  }

  private static String cookie(RequestHead head, String name, String value, long seconds) {
    return name
        + "="
        + value
        + "; Path=/; HttpOnly; SameSite=Strict; Max-Age="
        + seconds
        + (head.isSecure() ? "; Secure" : "");
  }

  private static Answer refusal(RuntimeException e) {
    return Problem.of(Outcome.UNAUTHENTICATED, String.valueOf(e.getMessage())).answer();
  }
}
