package io.punctual.http.route;

import io.punctual.http.access.Right;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A method of a path.
 *
 * @param method the HTTP method
 * @param template the path, with names of parameters in braces
 * @param rights the rights of which the caller needs one; empty if everybody may
 * @param query the names of the parameters of the query
 * @param consumes the types of the body; empty if there is none
 * @param produces the type of the answer
 * @param maxBody the largest body in bytes
 * @param unaudited why the audit keeps no requests of a route that changes something, or null
 * @param isScan whether a request can read a whole queue, or all queues, so that one runs at a time
 * @param handler answers the requests
 */
public record Route(
    String method,
    String template,
    List<Right> rights,
    List<String> query,
    List<String> consumes,
    String produces,
    long maxBody,
    @Nullable String unaudited,
    boolean isScan,
    Handler handler) {
  /** The largest body without messages. */
  static final long SMALL_BODY = 64 << 10;

  /** Copies the lists. */
  public Route {
    rights = List.copyOf(rights);
    query = List.copyOf(query);
    consumes = List.copyOf(consumes);
  }

  /** Returns a route without a body. */
  public static Route of(String method, String template, Handler handler, Right... rights) {
    return new Route(
        method,
        template,
        List.of(rights),
        List.of(),
        List.of(),
        Media.JSON,
        0,
        null,
        false,
        handler);
  }

  /** Returns this route with parameters of the query. */
  public Route query(String... names) {
    return new Route(
        method,
        template,
        rights,
        List.of(names),
        consumes,
        produces,
        maxBody,
        unaudited,
        isScan,
        handler);
  }

  /** Returns this route with a body of JSON of up to 64 KiB. */
  public Route json() {
    return body(SMALL_BODY, Media.JSON);
  }

  /** Returns this route with a body. */
  public Route body(long most, String... types) {
    return new Route(
        method,
        template,
        rights,
        query,
        List.of(types),
        produces,
        most,
        unaudited,
        isScan,
        handler);
  }

  /** Returns this route with a type of the answer. */
  public Route produces(String type) {
    return new Route(
        method, template, rights, query, consumes, type, maxBody, unaudited, isScan, handler);
  }

  /** Returns this route, whose requests change something, but are not kept by the audit. */
  public Route unaudited(String why) {
    return new Route(
        method, template, rights, query, consumes, produces, maxBody, why, isScan, handler);
  }

  /** Returns this route, whose requests run one at a time: for a queue, or else for a caller. */
  public Route scan() {
    return new Route(
        method, template, rights, query, consumes, produces, maxBody, unaudited, true, handler);
  }

  /** Returns whether requests can change something. */
  public boolean isChange() {
    return !method.equals("GET");
  }

  /**
   * Returns whether the audit keeps the requests: all that change something, but for exceptions.
   */
  public boolean isAudited() {
    return isChange() && unaudited == null;
  }
}
