package io.punctual.cli.message;

import io.punctual.Page;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputFormat;
import java.util.List;
import java.util.Optional;

/**
 * Lists the messages of a queue in one state, page by page.
 *
 * @param pages the pages of the list
 * @param state the state
 * @param limit the largest number of messages to list
 * @param onlyRecurring whether to list only recurring messages
 */
public record MessageList(Pages pages, State state, int limit, boolean onlyRecurring) {
  /** Reads a page of at most {@code limit} messages. */
  public interface Pages {
    Page<StoredMessage<byte[]>> read(Optional<String> cursor, int limit);
  }

  private static final int PAGE = 1000;

  /** Prints the messages, and says if there may be more. */
  public void print(Console console, OutputFormat format) {
    try (Listing<MessageEntry> listing =
        new Listing<>(console, format, MessageRow.fields(state, onlyRecurring))) {
      Optional<String> cursor = Optional.empty();
      int left = limit;
      boolean cut;
      do {
        Page<StoredMessage<byte[]>> page =
            pages.read(cursor, onlyRecurring ? PAGE : Math.min(left, PAGE));
        List<MessageEntry> rows = rows(page);
        cut = rows.size() > left;
        rows = cut ? rows.subList(0, left) : rows;
        rows.forEach(listing::add);
        left -= rows.size();
        cursor = page.next();
      } while (left > 0 && cursor.isPresent());
      listing.end();
      if (cut || cursor.isPresent()) {
        console.say("There are more messages; a higher --limit shows them");
      }
    }
  }

  private List<MessageEntry> rows(Page<StoredMessage<byte[]>> page) {
    return page.items().stream()
        .map(MessageEntry::new)
        .filter(entry -> !onlyRecurring || entry.isRecurring())
        .toList();
  }
}
