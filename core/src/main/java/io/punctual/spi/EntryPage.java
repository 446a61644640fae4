package io.punctual.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a partition's messages.
 *
 * @param entries the messages, in order
 * @param next the cursor to ask for the next page with, or null if this was the last
 */
public record EntryPage(List<Entry> entries, @Nullable String next) {}
