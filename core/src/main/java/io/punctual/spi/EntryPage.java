package io.punctual.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a partition's messages.
 *
 * @param entries the messages, in order
 * @param next the cursor of the next page, or null on the last page
 */
public record EntryPage(List<Entry> entries, @Nullable String next) {}
