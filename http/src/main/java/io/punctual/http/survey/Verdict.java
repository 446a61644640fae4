package io.punctual.http.survey;

import io.punctual.StoreStatus;
import io.punctual.http.webhook.WebhookState;
import io.punctual.http.webhook.WebhookView;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import io.punctual.view.View;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether all is well, and if not, why and what next.
 *
 * @param kind how it looks: bad, warn, good or calm
 * @param title the first sentence
 * @param text the reason, and what is true of the other queues
 * @param next what to do, if anything
 * @param queue the queue that the title names, if it names one
 */
record Verdict(
    String kind, String title, String text, @Nullable String next, @Nullable String queue)
    implements View {
  /** The share of deliveries that must be on time for a good hour. */
  private static final double MOSTLY = 0.99;

  /** Says that the store does not answer, with the last failure. */
  static Optional<Verdict> ofStore(StoreStatus status) {
    if (status.reachable()) {
      return Optional.empty();
    }
    String reason = status.lastFailure().map(Throwable::getMessage).orElse("it has not said why");
    return Optional.of(
        new Verdict(
            "bad",
            "The store does not answer",
            "Since " + Values.instant(status.since()) + ": " + reason,
            "Start the store, or mend the way to it; workers go on by themselves then",
            null));
  }

  /**
   * Judges queues.
   *
   * @param queues the queues of the caller
   * @param workers the number of their workers
   * @param hosts the number of the hosts of these workers
   * @param delivered the number of deliveries of the past hour
   * @param onTime the number of these that were on time
   */
  static Verdict of(List<LiveQueue> queues, int workers, int hosts, long delivered, long onTime) {
    if (queues.isEmpty()) {
      return new Verdict(
          "calm",
          "The server runs. Nothing is scheduled yet.",
          "No queue has a message.",
          null,
          null);
    }
    LiveQueue worst =
        queues.stream()
            .filter(queue -> queue.state().equals("late") || queue.state().equals("limited"))
            .min(
                Comparator.comparingInt(LiveQueue::rank)
                    .thenComparing(
                        queue -> queue.info().counts().overdue(), Comparator.reverseOrder()))
            .orElse(null);
    String paused = paused(queues);
    if (worst == null) {
      String text =
          (delivered == 0
                  ? "No delivery in the past hour."
                  : number(delivered, "message")
                      + " in the past hour, "
                      + share(onTime, delivered)
                      + " within 1 s.")
              + (workers == 0
                  ? ""
                  : " " + number(workers, "worker") + " on " + number(hosts, "host") + ".")
              + paused;
      // What was late in the past hour is said, though nothing is late now.
      boolean wasLate = delivered > 0 && onTime < delivered * MOSTLY;
      return new Verdict(
          wasLate ? "warn" : "good",
          wasLate ? "Nothing is late now; some messages were" : "Everything is on time",
          text,
          null,
          null);
    }
    long onTimeQueues =
        queues.stream().filter(q -> q.state().equals("ontime") || q.state().equals("idle")).count();
    String name = worst.info().name();
    return new Verdict(
        worst.state().equals("late") ? "bad" : "warn",
        name + " is late by " + words(worst.info().counts().overdue()),
        worst.diagnosis().reason()
            + ". "
            + number(onTimeQueues, "other queue")
            + (onTimeQueues == 1 ? " is" : " are")
            + " on time."
            + paused,
        worst.diagnosis().next().isEmpty() ? null : worst.diagnosis().next(),
        name);
  }

  /**
   * Returns this verdict with the targets of webhooks that are disabled or open. They are the
   * title, unless another queue is late.
   */
  Verdict with(List<WebhookView> troubled) {
    if (troubled.isEmpty()) {
      return this;
    }
    WebhookView first =
        troubled.stream()
            .filter(webhook -> webhook.state().kind() == WebhookState.Kind.DISABLED)
            .findFirst()
            .orElse(troubled.get(0));
    boolean isDisabled = first.state().kind() == WebhookState.Kind.DISABLED;
    String name = first.spec().name();
    String sentence =
        isDisabled
            ? "The webhook " + name + " is disabled"
            : "The webhook " + name + " fails again and again";
    String others =
        troubled.size() == 1
            ? ""
            : " " + number(troubled.size() - 1L, "other webhook") + " of this kind.";
    if (queue != null && !first.spec().takes(queue)) {
      return new Verdict(kind, title, text + " " + sentence + "." + others, next, queue);
    }
    String why =
        isDisabled
            ? "It answered 410 (gone), so nothing is sent to it since "
            : "One message every 30 s is tried, and the others wait, since ";
    String todo =
        isDisabled
            ? "Mend the receiver or the address, then enable the webhook"
            : "Mend the receiver; the webhook goes on by itself after the first success";
    return new Verdict(
        isDisabled || kind.equals("bad") ? "bad" : "warn",
        sentence,
        why + Values.instant(first.state().since()) + "." + others + " " + text,
        todo,
        first.spec().isPrefix() ? queue : first.spec().queue());
  }

  private static String paused(List<LiveQueue> queues) {
    List<LiveQueue> paused = queues.stream().filter(q -> q.state().equals("paused")).toList();
    if (paused.isEmpty()) {
      return "";
    }
    LiveQueue first = paused.get(0);
    String by = first.info().counts().pauseNote().by();
    return paused.size() == 1
        ? " One queue is paused: " + first.info().name() + (by.isEmpty() ? "" : ", by " + by) + "."
        : " " + number(paused.size(), "queue") + " are paused.";
  }

  private static String share(long part, long whole) {
    return part == whole ? "all" : String.format(Locale.ROOT, "%.2f %%", 100.0 * part / whole);
  }

  private static String number(long count, String noun) {
    return String.format(Locale.ROOT, "%,d ", count) + noun + (count == 1 ? "" : "s");
  }

  /** Returns a span in at most two units. */
  private static String words(Duration span) {
    long seconds = span.toSeconds();
    if (seconds < 60) {
      return seconds + " s";
    }
    if (seconds < 3600) {
      return seconds / 60 + " min " + seconds % 60 + " s";
    }
    return seconds < 86_400
        ? seconds / 3600 + " h " + seconds % 3600 / 60 + " min"
        : seconds / 86_400 + " days " + seconds % 86_400 / 3600 + " h";
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("kind", kind)
        .put("title", title)
        .put("text", text)
        .put("next", next)
        .put("queue", queue)
        .toMap();
  }
}
