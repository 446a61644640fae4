package io.punctual.http.route;

import io.punctual.http.exchange.RequestHead;
import io.punctual.http.problem.Problem;
import io.punctual.view.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Finds the route of a request in one table. Immutable. */
public final class Router {
  private final List<Route> routes;
  private final Map<Integer, List<Entry>> bySize = new HashMap<>();

  private record Entry(List<String> parts, Route route) {}

  /**
   * A request with its route.
   *
   * @param route the route
   * @param path the decoded parameters of the path
   * @param query the parameters of the query
   */
  public record Match(Route route, Map<String, String> path, Query query) {}

  /** Creates a router. A template without parameters comes before one that also fits. */
  public Router(List<Route> routes) {
    this.routes = List.copyOf(routes);
    for (Route route : routes) {
      List<String> parts = List.of(route.template().substring(1).split("/", -1));
      bySize.computeIfAbsent(parts.size(), size -> new ArrayList<>()).add(new Entry(parts, route));
    }
  }

  /** Returns the table. */
  public List<Route> routes() {
    return routes;
  }

  /**
   * Finds the route.
   *
   * @throws io.punctual.http.problem.ProblemException with 404, 405, 406 or 415
   * @throws io.punctual.http.text.BadInputException if the path or the query is not valid
   */
  public Match find(RequestHead head) {
    List<String> path = Segments.of(head.path());
    TreeSet<String> allowed = new TreeSet<>();
    for (Entry entry : bySize.getOrDefault(path.size(), List.of())) {
      if (fits(entry.parts, path)) {
        Route route = entry.route;
        if (route.method().equals(head.method())) {
          checkTypes(route, head);
          return new Match(
              route, parameters(entry.parts, path), Query.of(head.query(), route.query()));
        }
        allowed.add(route.method());
      }
    }
    if (allowed.isEmpty()) {
      throw Problem.of(
              Outcome.NOT_FOUND,
              "No path of this API has this form; /openapi.json lists all. A path must not end with"
                  + " a slash, and must not have an empty segment")
          .exception();
    }
    String methods = String.join(", ", allowed);
    throw Problem.of(Outcome.METHOD_NOT_ALLOWED, "This path has only these methods: " + methods)
        .header("Allow", methods)
        .exception();
  }

  private static boolean fits(List<String> parts, List<String> path) {
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      if (part.startsWith("{") ? path.get(i).isEmpty() : !part.equals(path.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static Map<String, String> parameters(List<String> parts, List<String> path) {
    Map<String, String> parameters = new HashMap<>();
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      if (part.startsWith("{")) {
        parameters.put(part.substring(1, part.length() - 1), path.get(i));
      }
    }
    return parameters;
  }

  private static void checkTypes(Route route, RequestHead head) {
    if (!Media.accepts(head.headers("Accept"), route.produces())) {
      throw Problem.of(
              Outcome.NOT_ACCEPTABLE,
              "The answer is "
                  + route.produces()
                  + ", which the Accept header of the request excludes")
          .exception();
    }
    String encoding = head.header("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw unsupported("A body must not have a Content-Encoding; send it as it is");
    }
    String type = head.header("Content-Type");
    if (type != null
        && !route.consumes().isEmpty()
        && (!route.consumes().contains(Media.type(type)) || Media.hasOtherCharset(type))) {
      throw unsupported(
          "Send the body as " + String.join(" or ", route.consumes()) + ", encoded as UTF-8");
    }
  }

  private static RuntimeException unsupported(String detail) {
    return Problem.of(Outcome.UNSUPPORTED_MEDIA_TYPE, detail).exception();
  }
}
