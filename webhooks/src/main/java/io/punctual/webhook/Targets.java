package io.punctual.webhook;

import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookState;
import io.punctual.http.webhook.WebhookView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The targets that run in this process: those of the configuration, and those of the store that no
 * target of the configuration replaces. Targets run once the states of all are known. Thread-safe.
 */
final class Targets {
  private static final Logger LOG = LoggerFactory.getLogger(Targets.class);

  private final Context context;
  private final Duration grace;
  private final TreeMap<String, Target> running = new TreeMap<>();
  private final List<CompletionStage<?>> stopping = new ArrayList<>();
  private Set<WebhookRecord> configured = Set.of();
  private Map<String, WebhookRecord> stored = new HashMap<>();
  private Map<String, WebhookState> states = new HashMap<>();
  private @Nullable String version;
  private long changes;
  private boolean isStopped;

  Targets(Context context, Duration grace) {
    this.context = context;
    this.grace = grace;
  }

  /** Returns the version of the records in use, or null before the first. */
  synchronized @Nullable String version() {
    return version;
  }

  synchronized void configure(List<WebhookRecord> next) {
    configured = new LinkedHashSet<>(next);
    if (version != null) {
      renew();
    }
  }

  /** Returns the number of the changes that this process has made. */
  synchronized long changes() {
    return changes;
  }

  /**
   * Uses the records of the store, unless they may be older than a change of this process.
   *
   * @param before the number of changes before the records were read
   */
  synchronized void use(Records.Loaded loaded, long before) {
    if (before != changes) {
      return; // The next look reads them again.
    }
    stored = new HashMap<>(loaded.targets());
    states = new HashMap<>(loaded.states());
    renew();
    version = loaded.version(); // last: after an error, the next look uses them again
  }

  synchronized Target put(WebhookRecord record) {
    String name = record.spec().name();
    if (!running.containsKey(name)) {
      states.remove(name);
    }
    stored.put(name, record);
    changes++;
    renew();
    Target target = running.get(name);
    if (target == null) {
      throw new IllegalStateException("another webhook takes messages of the same queue");
    }
    return target;
  }

  synchronized void remove(String name) {
    stored.remove(name);
    states.remove(name);
    changes++;
    renew();
  }

  /** Returns whether this process knows a target of the store, even one that does not run. */
  synchronized boolean isStored(String name) {
    return stored.containsKey(name);
  }

  synchronized Optional<Target> find(String name) {
    return Optional.ofNullable(running.get(name));
  }

  synchronized List<Target> all() {
    return List.copyOf(running.values());
  }

  synchronized List<WebhookView> list() {
    return running.values().stream().map(Target::view).toList();
  }

  /** Lets all targets take messages or not, as the mode of the process says. */
  synchronized void refresh() {
    running.values().forEach(Target::refresh);
  }

  /** Makes the running targets those that there should be. */
  private void renew() {
    if (isStopped) {
      return;
    }
    Map<String, WebhookRecord> wanted = wanted();
    for (Target target : List.copyOf(running.values())) {
      if (!wanted.containsKey(target.spec().name())) {
        running.remove(target.spec().name());
        stopping.add(target.remove(grace));
      }
    }
    wanted.forEach(this::run);
    stopping.removeIf(stage -> stage.toCompletableFuture().isDone());
  }

  private void run(String name, WebhookRecord record) {
    Target before = running.get(name);
    boolean isConfigured = configured.contains(record);
    Instant now = context.clock().instant();
    WebhookState state = states.getOrDefault(name, WebhookState.on(now));
    if (before != null
        && before.spec().equals(record.spec())
        && before.isConfigured() == isConfigured) {
      before.use(record.keys());
      if (states.containsKey(name)) {
        before.apply(state);
      }
      return;
    }
    WebhookState known = before == null ? state : before.state();
    HourFigures figures = before == null ? new HourFigures() : before.figures();
    Target target = new Target(context, record, isConfigured, known, figures);
    running.put(name, target);
    if (before != null) {
      stopping.add(before.remove(grace));
    }
    target.start();
  }

  /** Returns the targets by name; a later one that takes messages of an earlier one is left out. */
  private Map<String, WebhookRecord> wanted() {
    Map<String, WebhookRecord> wanted = new TreeMap<>();
    TreeMap<String, WebhookRecord> byQueue = new TreeMap<>();
    List<WebhookRecord> ofPrefixes = new ArrayList<>();
    List<WebhookRecord> all = new ArrayList<>(configured);
    all.addAll(new TreeMap<>(stored).values());
    for (WebhookRecord record : all) {
      WebhookSpec spec = record.spec();
      WebhookRecord other = wanted.get(spec.name());
      if (other == null) {
        other = taker(spec, byQueue, ofPrefixes);
      }
      if (other != null) {
        LOG.warn(
            "The webhook {} does not run: the webhook {} has its name or takes messages of its"
                + " queue",
            spec.name(),
            other.spec().name());
        continue;
      }
      wanted.put(spec.name(), record);
      if (spec.isPrefix()) {
        ofPrefixes.add(record);
      } else {
        byQueue.put(spec.queue(), record);
      }
    }
    return wanted;
  }

  /** Returns a target that takes messages of the same queue, or null. */
  private static @Nullable WebhookRecord taker(
      WebhookSpec spec,
      NavigableMap<String, WebhookRecord> byQueue,
      List<WebhookRecord> ofPrefixes) {
    for (WebhookRecord other : ofPrefixes) {
      if (other.spec().overlaps(spec)) {
        return other;
      }
    }
    Map.Entry<String, WebhookRecord> next = byQueue.ceilingEntry(spec.queue());
    return next != null && next.getValue().spec().overlaps(spec) ? next.getValue() : null;
  }

  CompletionStage<?> stop(Duration time) {
    List<CompletableFuture<?>> ends = new ArrayList<>();
    synchronized (this) {
      isStopped = true;
      running.values().forEach(target -> ends.add(target.stop(time).toCompletableFuture()));
      stopping.forEach(stage -> ends.add(stage.toCompletableFuture()));
    }
    return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
  }
}
