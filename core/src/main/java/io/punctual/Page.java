package io.punctual;

import java.util.List;
import java.util.Optional;

/**
 * A page of a listing.
 *
 * @param <E> what is listed
 * @param items what is on the page, in order
 * @param next the cursor to ask for the next page with, or empty if this was the last
 */
public record Page<E>(List<E> items, Optional<String> next) {
  /** Keeps a copy. */
  public Page {
    items = List.copyOf(items);
  }
}
