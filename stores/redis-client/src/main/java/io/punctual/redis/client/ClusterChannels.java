package io.punctual.redis.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.spi.Registration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions that follow their channels through a Cluster: each is on the node that serves the
 * channel's slot, and moves when the slot does. Thread-safe.
 */
final class ClusterChannels {
  private final Cluster cluster;
  private final Set<Following> all = new LinkedHashSet<>();

  ClusterChannels(Cluster cluster) {
    this.cluster = cluster;
  }

  Registration add(String channel, Subscriber subscriber) {
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

  /** Moves the subscriptions whose slot has moved to a different node. */
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
    private @Nullable Registration registration;
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
      Registration superfluous = settle(next, next.add(channel, subscriber));
      if (superfluous != null) {
        superfluous.close();
      }
    }

    /** Keeps the registration that is in use, and returns the superfluous registration. */
    private synchronized @Nullable Registration settle(Subscriptions there, Registration made) {
      if (ended || place != there) {
        return made;
      }
      Registration former = registration;
      registration = made;
      return former;
    }

    void end() {
      Registration last;
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
