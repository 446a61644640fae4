package io.punctual.httpstore.service;

import java.util.Collection;

/** Access without the server's own queues. */
record WithoutOwn(Access access) implements Access {
  @Override
  public boolean may(String queue) {
    return !queue.startsWith(StoreService.OWN) && access.may(queue);
  }

  @Override
  public Collection<String> prefixes() {
    return access.prefixes();
  }

  @Override
  public String name() {
    return access.name();
  }
}
