package io.punctual.server;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.punctual.Punctual;
import io.punctual.PunctualBuilder;
import io.punctual.Startup;
import io.punctual.http.HttpApi;
import io.punctual.http.access.RequestGuard;
import io.punctual.http.console.ConsoleService;
import io.punctual.http.route.Dispatch;
import io.punctual.http.store.StoreMount;
import io.punctual.http.token.StoredTokens;
import io.punctual.httpstore.service.StoreService;
import io.punctual.internal.client.ClientUrl;
import io.punctual.internal.runtime.GuardedTimer;
import io.punctual.micrometer.PunctualMeters;
import io.punctual.micrometer.QueueGauges;
import io.punctual.server.config.ConfigException;
import io.punctual.server.config.LimitsConfig;
import io.punctual.server.config.ServerConfig;
import io.punctual.server.jetty.HttpListener;
import io.punctual.server.jetty.TrustedProxies;
import io.punctual.spi.Store;
import io.punctual.timer.DueTimer;
import io.punctual.timer.WheelTimer;
import io.punctual.webhook.WebhookService;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of the HTTP API, for one store. {@link #close} drains it. Safe for use by many threads.
 */
public final class PunctualServer implements AutoCloseable {
  /** The largest number of queues that Prometheus sees one by one. */
  private static final int MOST_QUEUES = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(PunctualServer.class);

  private static final Duration TOKENS_TIME = Duration.ofSeconds(5);

  private final Parts parts = new Parts();
  private final ServerConfig.Options options;
  private final Map<String, String> environment;
  private final Store store;
  private final Punctual punctual;
  private final PunctualMeters meters;
  private final PrometheusMeterRegistry registry;
  private final Callers callers;
  private final Waits waits;
  private final StoredTokens tokens;
  private final StoreMount storeMount;
  private final WebhookService webhooks;
  private final HttpApi api;
  private final FrontService service;
  private final HttpListener listener;
  private ServerConfig config;
  private boolean closed;

  private PunctualServer(
      ServerConfig.Options options,
      Map<String, String> environment,
      ServerConfig config,
      @Nullable WarmUp warmUp)
      throws IOException {
    this.options = options;
    this.environment = environment;
    this.config = config;
    ClientUrl url = ClientUrl.parse(config.store());
    registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    meters =
        PunctualMeters.builder(registry)
            .queueGauges(QueueGauges.ALL) // their workers are in other processes
            .queueFilter(name -> !name.startsWith(Dispatch.OWN_QUEUES))
            .mostQueues(MOST_QUEUES)
            .build();
    try {
      WheelTimer wheel = WheelTimer.create();
      parts.add("timer", wheel::close);
      DueTimer timer = GuardedTimer.owned(wheel); // A lack of memory ends no chain of its tasks.
      store = url.open(wheel, Startup.FAIL, Duration.ZERO);
      punctual = client(url, store, wheel, meters);
      parts.add("client of the store", punctual);
      parts.add("meters", meters);
      meters.bindTo(punctual);
      callers = new Callers(config.access(), InstantSource.system());
      waits = new Waits(callers);
      tokens = new StoredTokens(punctual, InstantSource.system(), waits::change);
      parts.add("tokens", tokens);
      callers.accept(tokens);
      webhooks =
          WebhookService.builder(punctual, timer)
              .configured(config.webhooks().targets())
              .rules(config.webhooks().network())
              .readOnly(config.readOnly())
              .start();
      parts.add("webhooks", webhooks);
      api = api(config);
      parts.add("HTTP API", api);
      storeMount = new StoreMount(new StoreService(store, timer), callers, api::keepInAudit);
      parts.add("HTTP store", storeMount);
      storeMount.setReadOnly(config.readOnly());
      OperationsService operations =
          new OperationsService(
              punctual, registry, callers, () -> warmUp == null || warmUp.isOver());
      parts.add("metrics", operations);
      service =
          new FrontService(guard(config), operations, Map.of("/store/", storeMount), api, waits);
      awaitTokens(tokens.start(timer));
      listener =
          HttpListener.start(
              settings(config), warmUp == null ? service::accept : warmUp.endedBy(service::accept));
      parts.add("listener", listener::stop);
      registry.gauge("punctual.http.requests", listener, HttpListener::requestsInFlight);
      registry.gauge("punctual.http.connections", listener, HttpListener::connections);
      waits.endExpired(timer);
      if (warmUp != null) {
        parts.add("warm-up", warmUp);
        warmUp.begin();
      }
    } catch (IOException | RuntimeException | Error e) {
      parts.close();
      throw e;
    }
  }

  /** Without the tokens, the first requests would be answered as if theirs were wrong. */
  private static void awaitTokens(CompletionStage<?> read) {
    try {
      Object unused = read.toCompletableFuture().get(TOKENS_TIME.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // The log says so; requests with unknown tokens get 503 until the store answers.
    }
  }

  /** Opens the client of the API; the clients of the HTTP store use the same store. */
  private static Punctual client(
      ClientUrl url, Store store, DueTimer timer, PunctualMeters meters) {
    PunctualBuilder builder = Punctual.builder().store(store).timer(timer).observer(meters);
    url.operationTimeout().ifPresent(builder::operationTimeout);
    url.blockingTimeout().ifPresent(builder::blockingTimeout);
    return builder.build();
  }

  /**
   * Starts a server.
   *
   * @throws ConfigException if the configuration can't be used
   * @throws IllegalArgumentException if the URL of the store, or a file for TLS, can't be used
   * @throws io.punctual.PunctualException if the store can't be opened
   * @throws IOException if the port can't be bound
   */
  public static PunctualServer start(ServerConfig.Options options, Map<String, String> environment)
      throws IOException {
    ServerConfig config = ServerConfig.read(options, environment);
    return new PunctualServer(options, Map.copyOf(environment), config, null);
  }

  /**
   * Starts a server in a new JVM: it serves at once, but {@code /readyz} says 503 until the JVM has
   * compiled the code of calls, some seconds. Throws what {@link #start} throws.
   */
  public static PunctualServer startAndWarmUp(
      ServerConfig.Options options, Map<String, String> environment) throws IOException {
    ServerConfig config = ServerConfig.read(options, environment);
    return new PunctualServer(options, Map.copyOf(environment), config, new WarmUp());
  }

  /** Starts a server that can't be reloaded. */
  static PunctualServer start(ServerConfig config) throws IOException {
    ServerConfig.Options none = new ServerConfig.Options(null, null, null, null, null);
    return new PunctualServer(none, Map.of(), config, null);
  }

  private static RequestGuard guard(ServerConfig config) {
    List<String> names = new ArrayList<>(config.names());
    names.add(config.host().contains(":") ? "[" + config.host() + "]" : config.host());
    return new RequestGuard(names);
  }

  private HttpApi api(ServerConfig config) {
    ConsoleService console = new ConsoleService(callers.links());
    return HttpApi.builder(punctual, callers)
        .limits(config.limits().http())
        .retryPolicy(config.retries()::policy)
        .readOnly(config.readOnly())
        .tokens(tokens, callers)
        .webhooks(webhooks)
        .service("/", console)
        .service(ConsoleService.PATH, console)
        .build();
  }

  private static HttpListener.Settings settings(ServerConfig config) {
    LimitsConfig limits = config.limits();
    return new HttpListener.Settings(
        config.host(),
        config.port(),
        config.tls(),
        TrustedProxies.of(config.proxies()),
        limits.connections(),
        limits.idleTime(),
        limits.headTime(),
        limits.bytesPerSecond(),
        limits.bodyMemory());
  }

  /** Returns the address, such as {@code http://127.0.0.1:8420}. */
  public URI address() {
    String host = config.host();
    return URI.create(
        (config.tls() == null ? "http://" : "https://")
            + (host.contains(":") ? "[" + host + "]" : host)
            + ":"
            + listener.port());
  }

  /** Returns what the store is, without a password. */
  public String store() {
    return punctual.store();
  }

  /** Returns whether callers must say who they are. */
  public synchronized boolean hasAuthentication() {
    return !config.access().isOpen();
  }

  /**
   * Returns a new link to the console, which signs in once, within five minutes, with all rights.
   * It is for the terminal of whoever starts the server; an earlier link no longer works.
   */
  public URI newSignInLink() {
    return URI.create(address() + ConsoleService.PATH + "/#sign-in=" + callers.links().newLink());
  }

  /**
   * Reads the configuration again, and uses its tokens, roles, names, limits, retries, webhooks and
   * certificates. If the configuration can't be used, nothing changes, and the log says why. It
   * also names the keys with new values that need a restart.
   *
   * @return whether the configuration was used
   */
  public synchronized boolean reload() {
    if (closed) {
      return false;
    }
    try {
      ServerConfig next = ServerConfig.read(options, environment);
      ServerConfig mixed = config.reloaded(next);
      if (mixed.tls() != null) {
        listener.reload(mixed.tls());
      }
      waits.change(() -> callers.reload(mixed.access()));
      service.setGuard(guard(mixed));
      storeMount.setReadOnly(mixed.readOnly());
      api.setReadOnly(mixed.readOnly());
      webhooks.setReadOnly(mixed.readOnly());
      webhooks.configure(mixed.webhooks().targets(), mixed.webhooks().network());
      api.setLimits(mixed.limits().http());
      api.setRetryPolicy(mixed.retries()::policy);
      listener.setConnections(mixed.limits().connections());
      List<String> needRestart = config.needRestart(next);
      if (!needRestart.isEmpty()) {
        LOG.warn(
            "The configuration has new values of {}, which need a restart of the server",
            String.join(", ", needRestart));
      }
      config = mixed;
      LOG.info("The configuration is reloaded: {} tokens", next.access().tokens().size());
      return true;
    } catch (IllegalArgumentException | ConfigException e) {
      LOG.error("The configuration is not reloaded, and the old one stays: {}", e.getMessage());
      return false;
    }
  }

  /**
   * Ends the server: says on {@code /readyz} that it ends, answers waiting polls, lets requests in
   * flight end for some time, and closes the store. A second call does nothing.
   */
  @Override
  public void close() {
    LimitsConfig limits;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      limits = config.limits();
    }
    try {
      drain(limits.drainTime());
    } finally {
      parts.close();
    }
    LOG.info("Ended");
  }

  /** Ends the server at once. */
  void abort() {
    parts.close();
  }

  private void drain(Duration time) {
    service.drain();
    webhooks.drain(time);
    try {
      if (!listener.drain(time)) {
        LOG.warn("Requests were in flight for more than {}, and have no answer", time);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
