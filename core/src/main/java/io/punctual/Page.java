package io.punctual;

import java.util.List;
import java.util.Optional;

/**
 * A page of a listing.
 *
 * @param <E> the type of the items
 * @param items the items of the page, in order
 * @param next the cursor of the next page, or empty on the last page
 */
public record Page<E>(List<E> items, Optional<String> next) {
  /** Copies {@code items}. */
  public Page {
    items = List.copyOf(items);
  }
}
