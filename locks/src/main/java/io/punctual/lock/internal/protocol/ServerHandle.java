package io.punctual.lock.internal.protocol;

import java.util.List;

/**
 * A handle of a lock, as its server knows it. Immutable.
 *
 * @param keys the keys of the lock
 * @param options the options of the acquisition
 * @param id the id of the handle, which {@link HandleIds} creates
 */
public record ServerHandle(LockKeys keys, LockOptions options, String id) {
  /** Returns the same handle with a lease of this length. */
  public ServerHandle lasting(long leaseMillis) {
    return new ServerHandle(keys, options.lasting(leaseMillis), id);
  }

  public List<byte[]> scriptKeys() {
    return keys.withCounter(id);
  }
}
