package io.punctual.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gauges that appear and disappear together. A registry returns the existing gauge if two groups
 * register the same gauge, for example after a client was opened again. So each gauge has an owner.
 * A group removes only its own gauges, and each call of {@link #show} takes over those of its
 * gauges that have no owner. Thread-safe after the last call of {@link #add}.
 */
final class GaugeGroup {
  private static final Logger log = LoggerFactory.getLogger(PunctualMeters.class);

  /**
   * The owner of each gauge in each registry. The monitor of this map also guards {@link #shown}
   * and {@link #reported} of all groups. A gauge that the registry removes loses its owner without
   * this monitor, because the removing thread may hold locks of the registry.
   */
  private static final Map<MeterRegistry, Map<Meter.Id, Object>> OWNERS = new WeakHashMap<>();

  private final MeterRegistry registry;
  private final List<Function<MeterRegistry, ? extends Meter>> gauges = new ArrayList<>();

  /**
   * The gauges that this group owns, unless the registry has removed them since. The key is the
   * function that registered the gauge.
   */
  private final Map<Function<MeterRegistry, ? extends Meter>, Meter> shown = new HashMap<>();

  /**
   * The owner of this group's gauges in {@link #OWNERS}. The owner is not the group itself, because
   * the group refers to the registry, and this reference would keep the entry of the weak map
   * alive.
   */
  private final Object owner = new Object();

  private boolean reported;

  GaugeGroup(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Adds a gauge, which the next call of {@link #show} registers. */
  void add(Function<MeterRegistry, ? extends Meter> registration) {
    gauges.add(registration);
  }

  /**
   * Registers the gauges that this group does not own yet. The other gauges are not registered
   * again, because some registries warn of a second registration.
   */
  void show() {
    synchronized (OWNERS) {
      Map<Meter.Id, Object> owners = owners();
      for (Function<MeterRegistry, ? extends Meter> registration : gauges) {
        Meter earlier = shown.get(registration);
        if (earlier == null || owners.get(earlier.getId()) != owner) {
          show(registration, owners);
        }
      }
    }
  }

  private Map<Meter.Id, Object> owners() {
    return OWNERS.computeIfAbsent(
        registry,
        any -> {
          Map<Meter.Id, Object> owners = new ConcurrentHashMap<>();
          registry.config().onMeterRemoved(removed -> owners.remove(removed.getId()));
          return owners;
        });
  }

  private void show(
      Function<MeterRegistry, ? extends Meter> registration, Map<Meter.Id, Object> owners) {
    Meter gauge = registration.apply(registry);
    Object present = owners.putIfAbsent(gauge.getId(), owner);
    if (present == null || present == owner) {
      shown.put(registration, gauge);
    } else {
      shown.remove(registration);
      reportOtherOwner(gauge.getId());
    }
  }

  private void reportOtherOwner(Meter.Id gauge) {
    if (!reported) {
      reported = true;
      log.warn(
          "The gauge {} of a different client is in the registry, and hides the gauge of this"
              + " client. Close the PunctualMeters of a client with the client, and give clients"
              + " in one registry different PunctualMeters.Builder.tags",
          gauge);
    }
  }

  /** Removes the gauges that this group owns. */
  void remove() {
    synchronized (OWNERS) {
      Map<Meter.Id, Object> owners = owners();
      for (Meter gauge : shown.values()) {
        if (owners.remove(gauge.getId(), owner)) {
          registry.remove(gauge);
        }
      }
      shown.clear();
    }
  }
}
