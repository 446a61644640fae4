package io.punctual.http;

import io.punctual.Page;
import io.punctual.http.webhook.WebhookAttempt;
import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookState;
import io.punctual.http.webhook.WebhookView;
import io.punctual.http.webhook.Webhooks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Keeps targets, and calls none: the module that does uses this one. */
final class ListedWebhooks implements Webhooks {
  private static final WebhookAttempt ATTEMPT =
      new WebhookAttempt(
          Instant.EPOCH,
          "mail",
          "1",
          1,
          500,
          12,
          WebhookAttempt.Outcome.RETRY,
          "broken",
          Instant.EPOCH.plusSeconds(5),
          null,
          Map.of());

  private final Map<String, WebhookView> views = new TreeMap<>();

  void set(String name, WebhookState.Kind kind) {
    WebhookView view = views.get(name);
    views.put(
        name,
        new WebhookView(
            view.spec(),
            view.keys(),
            false,
            new WebhookState(kind, "It answered 410 (gone)", Instant.EPOCH),
            view.figures(),
            null));
  }

  private WebhookView add(WebhookSpec spec, List<WebhookKey> keys) {
    WebhookView view =
        new WebhookView(
            spec,
            keys,
            false,
            WebhookState.on(Instant.EPOCH),
            new WebhookView.Figures(3, 1, 5, 20),
            null);
    views.put(spec.name(), view);
    return view;
  }

  @Override
  public List<WebhookView> list() {
    return List.copyOf(views.values());
  }

  @Override
  public Optional<WebhookView> find(String name) {
    return Optional.ofNullable(views.get(name));
  }

  @Override
  public CompletionStage<WebhookView> put(WebhookSpec spec, Optional<WebhookKey> first) {
    if (spec.url().contains("127.0.0.1")) {
      throw new IllegalArgumentException("'url' has an address that is not public");
    }
    if (spec.name().equals("configured")) {
      return CompletableFuture.failedFuture(new IllegalStateException("change it there"));
    }
    return CompletableFuture.completedFuture(
        add(spec, first.map(List::of).orElseGet(() -> views.get(spec.name()).keys())));
  }

  @Override
  public CompletionStage<Void> delete(String name) {
    views.remove(name);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<WebhookView> enable(String name) {
    WebhookView view = views.get(name);
    return CompletableFuture.completedFuture(add(view.spec(), view.keys()));
  }

  @Override
  public CompletionStage<WebhookView> rotate(String name, WebhookKey key, Duration overlap) {
    WebhookView view = views.get(name);
    List<WebhookKey> keys = new ArrayList<>(view.keys());
    keys.add(key);
    return CompletableFuture.completedFuture(add(view.spec(), keys));
  }

  @Override
  public CompletionStage<WebhookAttempt> test(String name) {
    return CompletableFuture.completedFuture(ATTEMPT);
  }

  @Override
  public CompletionStage<Page<WebhookAttempt>> deliveries(
      String name, Optional<String> cursor, int limit) {
    return CompletableFuture.completedFuture(new Page<>(List.of(ATTEMPT), Optional.of("next")));
  }

  @Override
  public CompletionStage<Replay> replay(String name, Instant since) {
    return CompletableFuture.completedFuture(
        new Replay(List.of(views.get(name).spec().queue()), 2, 1));
  }
}
