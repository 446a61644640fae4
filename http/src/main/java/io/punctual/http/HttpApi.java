package io.punctual.http;

import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.http.access.Authenticator;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Roles;
import io.punctual.http.claim.ClaimRoutes;
import io.punctual.http.dead.DeadRoutes;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.RequestHead;
import io.punctual.http.message.MessageRoutes;
import io.punctual.http.message.Turnstile;
import io.punctual.http.own.Audit;
import io.punctual.http.own.OwnWork;
import io.punctual.http.own.TaskRoutes;
import io.punctual.http.queue.QueueRoutes;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Answers;
import io.punctual.http.route.Dispatch;
import io.punctual.http.route.Route;
import io.punctual.http.route.Router;
import io.punctual.http.survey.Survey;
import io.punctual.http.token.StoredTokens;
import io.punctual.http.token.TokenRoutes;
import io.punctual.http.webhook.WebhookRoutes;
import io.punctual.http.webhook.Webhooks;
import io.punctual.httpstore.service.Change;
import io.punctual.internal.runtime.GuardedTimer;
import io.punctual.timer.DueTimer;
import io.punctual.timer.WheelTimer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP API of a store. It begins with {@code /v1}; {@code /openapi.json} describes it. Safe for
 * use by many threads.
 *
 * <pre>{@code
 * HttpService api = HttpApi.builder(punctual, authenticator).build();
 * }</pre>
 */
public final class HttpApi implements HttpService {
  /** The largest number of pages with contents, of some megabytes each, in memory at a time. */
  private static final int PAGES_WITH_CONTENTS = 4;

  private final Router router;
  private final Dispatch dispatch;
  private final ClaimRoutes claims;
  private final Survey survey;
  private final TaskRoutes tasks;
  private final Audit audit;

  /** The API's own, because its work must not hold up the client's timer. */
  private final WheelTimer wheel = WheelTimer.builder().threadName("punctual-http-timer").build();

  private final Map<String, HttpService> services;
  private volatile HttpLimits limits;
  private volatile Function<String, RetryPolicy> policies;
  private volatile boolean isReadOnly;
  private @Nullable OwnWork work;

  private HttpApi(Builder builder) {
    limits = builder.limits;
    policies = builder.policies;
    isReadOnly = builder.readOnly;
    Queues queues = new Queues(builder.punctual);
    DueTimer timer = GuardedTimer.owned(wheel); // A lack of memory ends no chain of its tasks.
    claims = new ClaimRoutes(queues, () -> limits, queue -> policies.apply(queue), timer);
    Turnstile contents = new Turnstile(PAGES_WITH_CONTENTS);
    List<Route> routes = new ArrayList<>();
    routes.addAll(new QueueRoutes(queues, builder.clock).routes());
    routes.addAll(new MessageRoutes(queues, builder.limits, contents).routes());
    routes.addAll(claims.routes());
    routes.addAll(new DeadRoutes(queues, builder.limits, builder.clock, contents).routes());
    survey =
        new Survey(
            queues,
            builder.clock,
            timer,
            () -> limits.eventStreams(),
            () -> isReadOnly,
            builder.webhooks);
    routes.addAll(survey.routes());
    audit = new Audit(queues, builder.clock, builder.auditKept);
    routes.addAll(audit.routes());
    tasks = new TaskRoutes(queues, timer, builder.clock);
    routes.addAll(tasks.routes());
    routes.addAll(new TokenRoutes(builder.tokens, builder.roles, builder.clock).routes());
    routes.addAll(new WebhookRoutes(builder.webhooks, queues, tasks, builder.clock).routes());
    byte[] description = description();
    routes.add(
        Route.of("GET", "/openapi.json", exchange -> Answers.now(Answers.json(200, description))));
    router = new Router(routes);
    dispatch =
        new Dispatch(
            router, builder.authenticator, audit, () -> isReadOnly, () -> limits.requests());
    services = new LinkedHashMap<>(builder.services);
    work = builder.readOnly ? null : tasks.start();
  }

  /**
   * Sets how much callers may ask for at once, from now on. The sizes of payloads and bodies stay
   * as they were.
   */
  public void setLimits(HttpLimits most) {
    limits = Objects.requireNonNull(most, "most");
  }

  /** Sets the retry policy of the failures that are reported from now on. */
  public void setRetryPolicy(Function<String, RetryPolicy> byQueue) {
    policies = Objects.requireNonNull(byQueue, "byQueue");
  }

  /** Sets whether all requests that change something are refused; then no tasks run here either. */
  public synchronized void setReadOnly(boolean only) {
    isReadOnly = only;
    if (only) {
      endWork();
    } else if (work == null) {
      work = tasks.start();
    }
  }

  private synchronized void endWork() {
    if (work != null) {
      work.close();
      work = null;
    }
  }

  /**
   * Returns a builder.
   *
   * @param punctual the client of the store, which the API does not close
   * @param authenticator finds out who calls
   */
  public static Builder builder(Punctual punctual, Authenticator authenticator) {
    return new Builder(punctual, authenticator);
  }

  private static byte[] description() {
    try (InputStream in = HttpApi.class.getResourceAsStream("openapi.json")) {
      return Objects.requireNonNull(in, "openapi.json").readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Keeps what a client of an HTTP store has changed in the audit. */
  public void keepInAudit(Caller caller, Change change, int status) {
    audit.changed(caller, change, status);
  }

  /** Returns the table of the routes. */
  List<Route> routes() {
    return router.routes();
  }

  @Override
  public Call accept(RequestHead head) {
    for (Map.Entry<String, HttpService> service : services.entrySet()) {
      String path = head.path();
      boolean isRoot = service.getKey().equals("/");
      if (path.equals(service.getKey()) || (!isRoot && path.startsWith(service.getKey() + "/"))) {
        return service.getValue().accept(head);
      }
    }
    return dispatch.accept(head);
  }

  @Override
  public void drain() {
    claims.drain();
    survey.drain();
    services.values().forEach(HttpService::drain);
  }

  @Override
  public void close() {
    claims.close();
    survey.close();
    services.values().forEach(HttpService::close);
    endWork();
    wheel.close();
  }

  /** Builds an {@link HttpApi}. For use by one thread. */
  public static final class Builder {
    private final Punctual punctual;
    private final Authenticator authenticator;
    private InstantSource clock = Clock.systemUTC();
    private HttpLimits limits = HttpLimits.DEFAULT;
    private Duration auditKept = Duration.ofDays(90);
    private boolean readOnly;
    private @Nullable Webhooks webhooks;
    private Function<String, RetryPolicy> policies = queue -> RetryPolicy.DEFAULT;
    private final Map<String, HttpService> services = new LinkedHashMap<>();
    private @Nullable StoredTokens tokens;
    private @Nullable Roles roles;

    private Builder(Punctual punctual, Authenticator authenticator) {
      this.punctual = Objects.requireNonNull(punctual, "punctual");
      this.authenticator = Objects.requireNonNull(authenticator, "authenticator");
    }

    /** Sets the clock of requests that ask for a time from now; the system's by default. */
    public Builder clock(InstantSource source) {
      this.clock = Objects.requireNonNull(source, "source");
      return this;
    }

    /** Sets how much callers may ask for at once. */
    public Builder limits(HttpLimits most) {
      this.limits = Objects.requireNonNull(most, "most");
      return this;
    }

    /** Sets how long entries of the audit are kept in the store, from a day; 90 days by default. */
    public Builder auditKept(Duration time) {
      if (time.compareTo(Duration.ofDays(1)) < 0) {
        throw new IllegalArgumentException("The audit is kept for a day at least, not " + time);
      }
      this.auditKept = time;
      return this;
    }

    /** Refuses all requests that change something, whatever rights their callers have. */
    public Builder readOnly(boolean only) {
      this.readOnly = only;
      return this;
    }

    /** Sets the webhooks of this process, which the API does not close; none by default. */
    public Builder webhooks(Webhooks ofProcess) {
      this.webhooks = Objects.requireNonNull(ofProcess, "ofProcess");
      return this;
    }

    /**
     * Sets the retry policy of the failures that workers report, by the name of the queue; {@link
     * RetryPolicy#DEFAULT} by default.
     */
    public Builder retryPolicy(Function<String, RetryPolicy> byQueue) {
      this.policies = Objects.requireNonNull(byQueue, "byQueue");
      return this;
    }

    /**
     * Lets callers with the right ADMIN make and revoke tokens. By default, the API has none.
     *
     * @param stored the tokens, which the API does not close
     * @param known the roles that tokens can have
     */
    public Builder tokens(StoredTokens stored, Roles known) {
      this.tokens = Objects.requireNonNull(stored, "stored");
      this.roles = Objects.requireNonNull(known, "known");
      return this;
    }

    /**
     * Adds a service that answers the paths below a path, such as {@code /store/v1}. The API closes
     * it.
     */
    public Builder service(String path, HttpService service) {
      services.put(path, Objects.requireNonNull(service, "service"));
      return this;
    }

    /** Returns the API. */
    public HttpApi build() {
      return new HttpApi(this);
    }
  }
}
