package io.punctual.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The explanation of one id's history that breaks the fewest promises.
 *
 * <p>Each step took effect at one moment between its invocation and its answer, and what was never
 * answered may have taken effect at any later moment, or never. So a history allows many orders of
 * effects; it is in order if the table of states allows one of them from beginning to end (this is
 * linearizability, after Herlihy and Wing, and the search follows Wing and Gong). Here a step that
 * the table does not allow is not the end but costs something, and the search takes the cheapest
 * way first (Dijkstra): what it pays for is what was certainly broken, however the unknown is read.
 *
 * <p>A node is how far each track of steps has come, and the state then. Steps of one track take
 * effect in their order. Of two tracks the next step may come first unless the other's next step
 * was answered before it was invoked. A claim whose answer got lost can have leased the message
 * without anyone knowing; that is allowed where such a claim exists, and costs a little so that it
 * is used only where something shows it.
 */
final class Explanation {
  private static final int NODES = 200_000;
  private static final int UNSEEN_COST = 1;
  private static final int BREACH_COST = 1_000;
  private static final int UNEXPLAINED_COST = 2_500;

  private final List<List<Step>> tracks;

  /** For each track and place in it, when the first answer came to a step from there on. */
  private final List<long[]> answers = new ArrayList<>();

  private final long doubtfulClaimsFrom;
  private final Map<Key, Integer> cheapest = new HashMap<>();
  private final PriorityQueue<Node> open =
      new PriorityQueue<>(Comparator.comparingInt((Node node) -> node.cost));

  /**
   * Creates the search.
   *
   * @param tracks the steps; each track in the order of its effects
   * @param doubtfulClaimsFrom when the first claim was invoked whose answer got lost, or {@link
   *     Step#NEVER}
   */
  Explanation(List<List<Step>> tracks, long doubtfulClaimsFrom) {
    this.tracks = tracks;
    tracks.forEach(track -> answers.add(firstAnswers(track)));
    this.doubtfulClaimsFrom = doubtfulClaimsFrom;
  }

  private static long[] firstAnswers(List<Step> track) {
    long[] first = new long[track.size() + 1];
    first[track.size()] = Step.NEVER;
    for (int i = track.size() - 1; i >= 0; i--) {
      first[i] = Math.min(track.get(i).to(), first[i + 1]);
    }
    return first;
  }

  /** What one step broke. */
  record Broken(Breach breach, Step step) {}

  private record Key(List<Integer> done, IdState state) {}

  private record Paid(Broken broken, @Nullable Paid before) {}

  private record Node(Key key, int cost, @Nullable Paid paid) {}

  /** Returns what was broken; null if the history is too tangled to tell. */
  @Nullable List<Broken> search() {
    List<Integer> begin = new ArrayList<>();
    tracks.forEach(track -> begin.add(0));
    add(new Node(new Key(begin, IdState.NEVER), 0, null));
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
      if (node.key.done.get(i) < tracks.get(i).size()) {
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
      firstAnswer = Math.min(firstAnswer, answers.get(i)[node.key.done.get(i)]);
    }
    for (int i = 0; i < tracks.size(); i++) {
      Step next = next(node, i);
      if (next != null && next.from() <= firstAnswer) {
        take(node, i, next);
      }
    }
    if (doubtfulClaimsFrom <= firstAnswer) {
      takeUnseenClaim(node);
    }
  }

  private @Nullable Step next(Node node, int track) {
    int done = node.key.done.get(track);
    return done < tracks.get(track).size() ? tracks.get(track).get(done) : null;
  }

  private void take(Node node, int track, Step step) {
    List<Integer> done = new ArrayList<>(node.key.done);
    done.set(track, done.get(track) + 1);
    for (Transition transition : StateTable.apply(node.key.state, step)) {
      int cost = node.cost;
      Paid paid = node.paid;
      for (Breach breach : transition.breaches()) {
        cost += breach == Breach.UNEXPLAINED ? UNEXPLAINED_COST : BREACH_COST;
        paid = new Paid(new Broken(breach, step), paid);
      }
      add(new Node(new Key(done, transition.next()), cost, paid));
    }
  }

  private void takeUnseenClaim(Node node) {
    IdState state = node.key.state;
    boolean claimable =
        doubtfulClaimsFrom != Step.NEVER
            && !state.marked()
            && (state.isWaiting() || state.isLeased());
    if (claimable) {
      add(
          new Node(
              new Key(node.key.done, state.leasedUnseen()), node.cost + UNSEEN_COST, node.paid));
    }
  }

  private void add(Node node) {
    Integer known = cheapest.get(node.key);
    if (known == null || node.cost < known) {
      cheapest.put(node.key, node.cost);
      open.add(node);
    }
  }
}
