package io.punctual.http.console;

import io.punctual.http.HttpService;
import io.punctual.http.access.LinkSignIn;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.BodilessCall;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.RequestHead;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Serves the console at {@code /console/}, to which {@code /} leads. The files are the same for
 * everybody and tell nothing; the HTTP API decides what a caller sees. Safe for use by many
 * threads.
 */
public final class ConsoleService implements HttpService {
  /** The path at which the console is added to an API. */
  public static final String PATH = "/console";

  /** The path at which a page begins and ends a session. */
  public static final String SESSION_PATH = PATH + "/session";

  private static final Set<String> SESSION_METHODS = Set.of("POST", "DELETE");

  private final ConsoleFiles files = new ConsoleFiles();
  private final @Nullable SessionCalls sessions;

  /** Creates a service for callers who sign in by a token, or by the host's own security. */
  public ConsoleService() {
    sessions = null;
  }

  /** Creates a service that also knows links. */
  public ConsoleService(LinkSignIn links) {
    sessions = new SessionCalls(links);
  }

  @Override
  public Call accept(RequestHead head) {
    return sessions != null
            && head.path().equals(SESSION_PATH)
            && SESSION_METHODS.contains(head.method())
        ? sessions.accept(head)
        : BodilessCall.of(answer(head));
  }

  private Answer answer(RequestHead head) {
    if (!head.method().equals("GET") && !head.method().equals("HEAD")) {
      return empty(405, "Allow", "GET, HEAD");
    }
    if (head.path().equals("/") || head.path().equals(PATH)) {
      return empty(308, "Location", "console/");
    }
    return files.get(
        head.path().substring(PATH.length() + 1),
        head.header("If-None-Match"),
        String.join(",", head.headers("Accept-Encoding")));
  }

  private static Answer empty(int status, String header, String value) {
    return new Answer(
        status, Map.of(header, value), new Answer.Bytes(new byte[0]), Answer.Written.NOTHING);
  }

  @Override
  public void drain() {}

  @Override
  public void close() {}
}
