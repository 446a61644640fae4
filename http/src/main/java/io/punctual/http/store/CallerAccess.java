package io.punctual.http.store;

import io.punctual.http.access.Caller;
import io.punctual.http.access.Right;
import io.punctual.httpstore.service.Access;
import io.punctual.httpstore.service.Change;
import java.util.Collection;

/** The queues that a caller may use through an HTTP store. */
record CallerAccess(Caller caller, StoreMount.Auditor audit) implements Access {
  @Override
  public boolean may(String queue) {
    return caller.may(Right.STORE, queue);
  }

  @Override
  public Collection<String> prefixes() {
    return caller.prefixes(Right.STORE);
  }

  @Override
  public String name() {
    return caller.name();
  }

  @Override
  public void changed(Change change, int status) {
    audit.changed(caller, change, status);
  }
}
