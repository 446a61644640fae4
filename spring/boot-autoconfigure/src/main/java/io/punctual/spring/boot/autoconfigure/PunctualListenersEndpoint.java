package io.punctual.spring.boot.autoconfigure;

import io.punctual.Worker;
import io.punctual.spring.PunctualListenerRegistry;
import io.punctual.spring.RegisteredListener;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * The endpoint {@code punctuallisteners}. Shows, starts and stops the listeners of this process.
 */
@Endpoint(id = "punctuallisteners", defaultAccess = Access.READ_ONLY)
public final class PunctualListenersEndpoint {
  private final PunctualListenerRegistry registry;

  PunctualListenersEndpoint(PunctualListenerRegistry registry) {
    this.registry = registry;
  }

  /** The listeners. */
  public record Listeners(List<Listener> listeners) {}

  /**
   * A listener.
   *
   * @param handlers the number of calls that run now
   */
  public record Listener(
      String id, List<String> queues, boolean running, int handlers, int concurrency) {}

  /** Lists the listeners by id. */
  @ReadOperation
  public Listeners listeners() {
    return new Listeners(
        registry.listeners().stream().map(PunctualListenersEndpoint::describe).toList());
  }

  /** Returns a listener, or null if there is no listener with this id. */
  @ReadOperation
  public @Nullable Listener listener(@Selector(match = Selector.Match.ALL_REMAINING) String... id) {
    return registry.find(Paths.id(id)).map(PunctualListenersEndpoint::describe).orElse(null);
  }

  /**
   * Starts or stops a listener of this process. The reply has the status 404 if there is no
   * listener with this id, and the status 400 with a reason if the action is unknown.
   */
  @WriteOperation
  public WebEndpointResponse<Object> change(
      String action, @Selector(match = Selector.Match.ALL_REMAINING) String... id) {
    return Replies.to(
        () ->
            registry
                .find(Paths.id(id))
                .map(listener -> change(listener, action))
                .orElseGet(Replies::notFound));
  }

  private static WebEndpointResponse<Object> change(RegisteredListener listener, String action) {
    switch (action.toLowerCase(Locale.ROOT)) {
      case "start" -> listener.start();
      case "stop" -> listener.stop();
      default -> throw Replies.unknown(action, "start or stop");
    }
    return new WebEndpointResponse<>(describe(listener));
  }

  private static Listener describe(RegisteredListener listener) {
    List<Worker> workers = listener.workers();
    return new Listener(
        listener.id(),
        listener.queues(),
        listener.isRunning(),
        workers.stream().mapToInt(Worker::running).sum(),
        workers.stream().mapToInt(Worker::concurrency).max().orElse(0));
  }
}
