package io.punctual.redis.client.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.connection.ChannelSubscription;
import io.punctual.redis.client.connection.Subscriber;
import io.punctual.redis.client.connection.Subscriptions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions in a Cluster. Each subscription is on the node that serves its channel's slot, and
 * moves when the slot moves. Thread-safe.
 */
final class ClusterChannels {
  private final Cluster cluster;
  private final Set<Following> all = new LinkedHashSet<>();

  ClusterChannels(Cluster cluster) {
    this.cluster = cluster;
  }

  ChannelSubscription add(String channel, Subscriber subscriber) {
    Following following = new Following(channel, subscriber);
    synchronized (this) {
      all.add(following);
    }
    following.follow();
    return () -> {
      synchronized (this) {
        all.remove(following);
      }
      following.end();
    };
  }

  /** Moves each subscription whose slot is now on a different node. */
  void follow() {
    List<Following> those;
    synchronized (this) {
      those = new ArrayList<>(all);
    }
    those.forEach(Following::follow);
  }

  private final class Following {
    private final String channel;
    private final Subscriber subscriber;
    private @Nullable Subscriptions place;
    private @Nullable ChannelSubscription registration;
    private boolean ended;

    Following(String channel, Subscriber subscriber) {
      this.channel = channel;
      this.subscriber = subscriber;
    }

    void follow() {
      Subscriptions next = cluster.node(channel.getBytes(UTF_8)).subscriptions();
      synchronized (this) {
        if (ended || place == next) {
          return;
        }
        place = next;
      }
      ChannelSubscription superfluous = settle(next, next.add(channel, subscriber));
      if (superfluous != null) {
        superfluous.close();
      }
    }

    /**
     * Stores the new subscription unless it is outdated, and returns the subscription to close: the
     * previous subscription, or the outdated new subscription.
     */
    private synchronized @Nullable ChannelSubscription settle(
        Subscriptions there, ChannelSubscription made) {
      if (ended || place != there) {
        return made;
      }
      ChannelSubscription former = registration;
      registration = made;
      return former;
    }

    void end() {
      ChannelSubscription last;
      synchronized (this) {
        ended = true;
        last = registration;
      }
      if (last != null) {
        last.close();
      }
    }
  }
}
