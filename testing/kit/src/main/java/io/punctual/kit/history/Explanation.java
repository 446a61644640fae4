package io.punctual.kit.history;

import io.punctual.kit.history.HistoryEvent.Claimed;
import io.punctual.kit.history.HistoryEvent.Found;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The explanation of an id's history with the fewest breaches.
 *
 * <p>Each step takes effect at a moment between its invocation and its answer. A step without an
 * answer takes effect at any later moment, or never. So a history allows many orders of effects; it
 * is correct if the {@link StateTable} allows at least one order (linearizability, by Herlihy and
 * Wing; the search follows Wing and Gong). Here, a step that the table does not allow has a cost
 * instead of ending the search. The search continues with the cheapest node (Dijkstra), and among
 * equal costs with the node that explains the most answered steps. So a breach is reported only if
 * no possible order of effects is without a breach.
 *
 * <p>The steps are grouped in tracks; the steps of a track take effect in order. A node is a
 * position in each track, and the state of the id at these positions. A step may take effect before
 * the next step of a different track, unless that next step was answered before the step was
 * invoked.
 *
 * <p>A claim with a lost answer can have leased or removed the message unseen. Where a history has
 * such a claim, the search allows this at a small cost. So it assumes the effect only to explain a
 * later step. In the same way, it allows that a crash of the store lost a claim.
 */
final class Explanation {
  private static final int NODES = 200_000;
  private static final int UNSEEN_COST = 20;
  private static final int LOST_CLAIM_COST = 20;
  private static final int BREACH_COST = 1_000;
  private static final int UNEXPLAINED_COST = 2_500;

  private final List<List<Step>> tracks;

  /**
   * For each track and each position in it, the time of the earliest answer to a step at or after
   * the position.
   */
  private final List<long[]> answers = new ArrayList<>();

  private final long doubtfulClaimsFrom;
  private final long doubtfulAtMostOnceFrom;
  private final LostClaims lostClaims;
  private final int mostAttempts;
  private final Map<Key, Integer> cheapest = new HashMap<>();
  private final PriorityQueue<Node> open =
      new PriorityQueue<>(
          Comparator.comparingInt((Node node) -> node.cost)
              .thenComparing(Comparator.comparingInt((Node node) -> node.answered).reversed()));

  /**
   * Creates the search.
   *
   * @param tracks the steps; each track in the order of its effects
   * @param doubtfulClaimsFrom the invocation time of the first claim whose answer was lost or slow,
   *     or {@link Step#NEVER}
   * @param doubtfulAtMostOnceFrom the invocation time of the first such claim for at-most-once
   *     delivery, or {@link Step#NEVER}
   * @param lostClaims the claims that a crash may have lost
   */
  Explanation(
      List<List<Step>> tracks,
      long doubtfulClaimsFrom,
      long doubtfulAtMostOnceFrom,
      LostClaims lostClaims) {
    this.tracks = tracks;
    this.lostClaims = lostClaims;
    tracks.forEach(track -> answers.add(firstAnswers(track)));
    this.doubtfulClaimsFrom = doubtfulClaimsFrom;
    this.doubtfulAtMostOnceFrom = doubtfulAtMostOnceFrom;
    mostAttempts =
        tracks.stream().flatMap(List::stream).mapToInt(Explanation::attempts).max().orElse(0);
  }

  private static int attempts(Step step) {
    if (step.event() instanceof Claimed claimed) {
      return claimed.attempt();
    }
    return step.event() instanceof Found found ? found.attempts() : 0;
  }

  private static long[] firstAnswers(List<Step> track) {
    long[] first = new long[track.size() + 1];
    first[track.size()] = Step.NEVER;
    for (int i = track.size() - 1; i >= 0; i--) {
      first[i] = Math.min(track.get(i).to(), first[i + 1]);
    }
    return first;
  }

  record Broken(Breach breach, Step step) {}

  /** The position of the search in each track: the index of the next step. */
  private static final class Places {
    private final int[] done;
    private final int hash;

    Places(int[] done) {
      this.done = done;
      this.hash = Arrays.hashCode(done);
    }

    int of(int track) {
      return done[track];
    }

    Places with(int track, int place) {
      int[] copy = done.clone();
      copy[track] = place;
      return new Places(copy);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Places places && Arrays.equals(done, places.done);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  private record Key(Places done, IdState state) {}

  private record Paid(Broken broken, @Nullable Paid before) {}

  private record Node(Key key, int cost, int answered, @Nullable Paid paid) {}

  /**
   * Searches for the explanation; returns its breaches, or null if the search exceeds its limit.
   */
  @Nullable List<Broken> search() {
    Places begin = new Places(new int[tracks.size()]);
    add(new Node(new Key(begin, IdState.NEVER), 0, 0, null));
    for (Node node = open.poll(); node != null && cheapest.size() < NODES; node = open.poll()) {
      if (isComplete(node)) {
        return broken(node.paid);
      }
      expand(node);
    }
    return null;
  }

  private boolean isComplete(Node node) {
    for (int i = 0; i < tracks.size(); i++) {
      if (answers.get(i)[node.key.done.of(i)] != Step.NEVER) {
        return false;
      }
    }
    return true;
  }

  private static List<Broken> broken(@Nullable Paid last) {
    List<Broken> broken = new ArrayList<>();
    for (Paid paid = last; paid != null; paid = paid.before) {
      broken.add(0, paid.broken);
    }
    return broken;
  }

  private void expand(Node node) {
    if (cheapest.getOrDefault(node.key, Integer.MAX_VALUE) < node.cost) {
      return;
    }
    long firstAnswer = Step.NEVER;
    for (int i = 0; i < tracks.size(); i++) {
      firstAnswer = Math.min(firstAnswer, answers.get(i)[node.key.done.of(i)]);
    }
    for (int i = 0; i < tracks.size(); i++) {
      takeNext(node, i, firstAnswer);
    }
    if (doubtfulClaimsFrom <= firstAnswer) {
      takeUnseenClaim(node, doubtfulAtMostOnceFrom <= firstAnswer);
    }
    IdState restored = node.key.state.beforeClaim();
    if (restored != null) {
      Key lost = new Key(node.key.done, restored);
      add(new Node(lost, node.cost + LOST_CLAIM_COST, node.answered, node.paid));
    }
  }

  /**
   * Adds the nodes after the track's next answered step, and after each unanswered step before it.
   * Ignores the steps that were invoked after {@code firstAnswer}.
   */
  private void takeNext(Node node, int track, long firstAnswer) {
    List<Step> steps = tracks.get(track);
    for (int place = node.key.done.of(track); place < steps.size(); place++) {
      Step step = steps.get(place);
      if (step.from() > firstAnswer) {
        return;
      }
      take(node, track, place);
      if (step.to() != Step.NEVER) {
        return;
      }
    }
  }

  private void take(Node node, int track, int place) {
    Step step = tracks.get(track).get(place);
    boolean isAnswered = step.to() != Step.NEVER;
    Places done = node.key.done.with(track, place + 1);
    for (Transition transition : StateTable.apply(node.key.state, step)) {
      if (isAnswered || !transition.next().equals(node.key.state)) {
        int cost = node.cost;
        Paid paid = node.paid;
        for (Breach breach : transition.breaches()) {
          cost += breach == Breach.UNEXPLAINED ? UNEXPLAINED_COST : BREACH_COST;
          paid = new Paid(new Broken(breach, step), paid);
        }
        int answered = node.answered + (isAnswered ? 1 : 0);
        IdState next = lostClaims.after(step, node.key.state, transition.next());
        add(new Node(new Key(done, next), cost, answered, paid));
      }
    }
  }

  private void takeUnseenClaim(Node node, boolean maybeAtMostOnce) {
    IdState state = node.key.state;
    boolean claimable =
        state.attempts() <= mostAttempts
            && doubtfulClaimsFrom != Step.NEVER
            && !state.marked()
            && (state.isWaiting() || state.isLeased());
    if (claimable) {
      addUnseen(node, state.leasedUnseen());
      if (maybeAtMostOnce && doubtfulAtMostOnceFrom != Step.NEVER) {
        addUnseen(node, state.gone(IdState.Place.REMOVED));
      }
    }
  }

  private void addUnseen(Node node, IdState leased) {
    Key unseen = new Key(node.key.done, leased);
    add(new Node(unseen, node.cost + UNSEEN_COST, node.answered, node.paid));
  }

  private void add(Node node) {
    Integer known = cheapest.get(node.key);
    if (known == null || node.cost < known) {
      cheapest.put(node.key, node.cost);
      open.add(node);
    }
  }
}
