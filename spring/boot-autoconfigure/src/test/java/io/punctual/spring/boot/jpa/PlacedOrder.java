package io.punctual.spring.boot.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Version;
import org.jspecify.annotations.Nullable;

/** An entity with a version, a unique column, and a callback that runs when a change is flushed. */
@Entity
@EntityListeners(PlacedOrder.Callback.class)
class PlacedOrder {
  @Id @Nullable String id;

  @Column(unique = true)
  @Nullable String number;

  @Version int version;

  /** Called by the provider of JPA. */
  PlacedOrder() {}

  PlacedOrder(String id, String number) {
    this.id = id;
    this.number = number;
  }

  /** A bean with the action that the callback runs. */
  static final class Action {
    volatile Runnable body = () -> {};
  }

  /** The callback. It is not a bean; Spring creates an instance for the provider of JPA. */
  static final class Callback {
    private final Action action;

    Callback(Action action) {
      this.action = action;
    }

    @PreUpdate
    void changed(PlacedOrder order) {
      action.body.run();
    }
  }
}
