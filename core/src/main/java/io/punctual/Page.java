package io.punctual;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

  /**
   * Streams the items of a page and of the pages after it. Reads a page when the items of the page
   * before are consumed.
   *
   * @param first the first page, which is read already
   * @param after reads the page after a cursor
   */
  public static <E> Stream<E> stream(Page<E> first, Function<String, Page<E>> after) {
    return Stream.<@Nullable Page<E>>iterate(
            first, Objects::nonNull, page -> page.next().map(after).orElse(null))
        .flatMap(page -> page.items().stream());
  }
}
