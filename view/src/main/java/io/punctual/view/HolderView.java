package io.punctual.view;

import io.punctual.LeaseHolder;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a lease.
 *
 * @param session the id of the session that claimed the message
 * @param claimant the name that the claim gave, or null if it is not known
 * @param workers the names of the client's workers of the queue
 * @param host the name of the client's host, or null if it is not known
 * @param pid the id of the client's process, or null if it is not known
 */
public record HolderView(
    String session,
    @Nullable String claimant,
    List<String> workers,
    @Nullable String host,
    @Nullable Long pid)
    implements View {
  /** Copies {@code workers}. */
  public HolderView {
    workers = List.copyOf(workers);
  }

  /** Returns the view of a holder. */
  public static HolderView of(LeaseHolder holder) {
    return new HolderView(
        holder.session(),
        holder.claimant().orElse(null),
        holder.workers(),
        holder.host().orElse(null),
        holder.pid().isPresent() ? (Long) holder.pid().getAsLong() : null);
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("session", session)
        .put("claimant", claimant)
        .put("workers", workers)
        .put("host", host)
        .put("pid", pid)
        .toMap();
  }
}
