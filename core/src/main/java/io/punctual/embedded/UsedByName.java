package io.punctual.embedded;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Objects by name, for example the partitions that clients use. There is at most one object with a
 * name at a time. It stays as long as something uses it: this class does not keep it in memory.
 * Safe for use by many threads.
 *
 * @param <V> the type of the objects
 */
public final class UsedByName<V> {
  private final Map<String, Named<V>> byName = new ConcurrentHashMap<>();
  private final ReferenceQueue<V> unused = new ReferenceQueue<>();

  private static final class Named<V> extends WeakReference<V> {
    final String name;

    Named(String name, V value, ReferenceQueue<V> unused) {
      super(value, unused);
      this.name = name;
    }
  }

  /** Creates an empty collection. */
  public UsedByName() {}

  /** Returns the object with a name; creates it if nothing uses such an object. */
  public V get(String name, Function<String, V> creation) {
    forgetUnused();
    V found = find(name);
    while (found == null) {
      V created = creation.apply(name);
      Named<V> now =
          byName.compute(
              name,
              (key, there) ->
                  there == null || there.refersTo(null)
                      ? new Named<>(name, created, unused)
                      : there);
      found = now.get();
    }
    return found;
  }

  /** Returns the object with a name, or null if nothing uses such an object. */
  public @Nullable V find(String name) {
    Named<V> named = byName.get(name);
    return named == null ? null : named.get();
  }

  /** Returns the objects in use. */
  public List<V> all() {
    forgetUnused();
    return byName.values().stream().map(Reference::get).filter(Objects::nonNull).toList();
  }

  private void forgetUnused() {
    for (Reference<? extends V> next = unused.poll(); next != null; next = unused.poll()) {
      Named<?> named = (Named<?>) next;
      byName.remove(named.name, named);
    }
  }
}
