package io.punctual.spring;

import io.punctual.Punctual;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * The listeners of the application. The registry starts the listeners that have {@code autoStartup}
 * when the context starts. It stops them before the web server refuses requests, so that a request
 * can still schedule messages. When a stopped context starts again, the registry starts the
 * listeners that ran before. A thread keeps the process alive while the context runs and has
 * listeners. Safe for use by many threads.
 */
public final class PunctualListenerRegistry implements SmartLifecycle, DisposableBean {
  /**
   * The phase of this registry. The registry stops before the web server, whose graceful stop is in
   * phase {@code Integer.MAX_VALUE - 1024}.
   */
  public static final int PHASE = Integer.MAX_VALUE - 100;

  private final Punctual punctual;
  private final PunctualCodecs codecs;
  private final ListenerDefaults defaults;
  private final Map<String, ManagedListener> listeners = new ConcurrentSkipListMap<>();
  private final KeepAlive keepAlive = new KeepAlive(this::hasWork);
  private volatile boolean running;

  /** Creates a registry for listeners on the queues of this client. */
  public PunctualListenerRegistry(
      Punctual punctual, PunctualCodecs codecs, ListenerDefaults defaults) {
    this.punctual = punctual;
    this.codecs = codecs;
    this.defaults = defaults;
  }

  private boolean hasWork() {
    return running && !listeners.isEmpty();
  }

  PunctualCodecs codecs() {
    return codecs;
  }

  /**
   * Adds listeners. If the context has started, starts the listeners that have {@code autoStartup}.
   * If one fails to start, the registry removes all of these listeners, so that their beans can be
   * created again.
   */
  void register(List<ListenerSpec> specs) {
    List<ManagedListener> added = new ArrayList<>();
    try {
      for (ListenerSpec spec : specs) {
        ManagedListener listener = new ManagedListener(spec, punctual, defaults, this::isRunning);
        add(listener);
        added.add(listener);
      }
      added.forEach(ManagedListener::startWorkers);
    } catch (RuntimeException | Error e) {
      added.forEach(this::remove);
      throw e;
    }
    keepAlive.update();
  }

  private void add(ManagedListener listener) {
    ManagedListener other = listeners.putIfAbsent(listener.id(), listener);
    if (other != null) {
      throw new ListenerDefinitionException(
          listener.description(),
          "the id '" + listener.id() + "' belongs to " + other.description() + " already",
          "Set the attribute id to a text of its own; a bean with listeners is a singleton");
    }
  }

  private void remove(ManagedListener listener) {
    listeners.remove(listener.id(), listener);
    CompletableFuture<?> unused = listener.stopWorkers();
  }

  /** Returns the listeners, by id. */
  public Collection<RegisteredListener> listeners() {
    return List.copyOf(listeners.values());
  }

  /** Returns the listener with this id, or empty if there is none. */
  public Optional<RegisteredListener> find(String id) {
    return Optional.ofNullable(listeners.get(id));
  }

  /**
   * Starts the listeners that have {@code autoStartup} or that the application has started.
   * Listeners that the application has stopped stay stopped.
   */
  @Override
  public void start() {
    running = true;
    listeners.values().forEach(ManagedListener::startWorkers);
    keepAlive.update();
  }

  /** Stops all listeners, and waits for running calls up to the grace period of the options. */
  @Override
  public void stop() {
    Object unused = stopAll().handle((nothing, failure) -> true).join();
  }

  @Override
  public void stop(Runnable callback) {
    CompletableFuture<?> unused = stopAll().whenComplete((nothing, failure) -> callback.run());
  }

  private CompletableFuture<Void> stopAll() {
    running = false;
    keepAlive.update();
    return CompletableFuture.allOf(
        listeners.values().stream()
            .map(ManagedListener::stopWorkers)
            .toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Stops all listeners. Spring does not call {@link #stop} if the start of the context failed
   * after the start of the listeners.
   */
  @Override
  public void destroy() {
    stop();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
