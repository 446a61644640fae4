package io.punctual.cli.output;

import io.punctual.DeadReason;
import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.migration.copy.LeasedMessages;
import java.util.Iterator;
import java.util.Locale;
import java.util.stream.Stream;

/** The values of an option in lower case, for the help and for shell completion. */
public abstract class LowerCase implements Iterable<String> {
  private final Enum<?>[] values;

  private LowerCase(Enum<?>... values) {
    this.values = values;
  }

  @Override
  public final Iterator<String> iterator() {
    return Stream.of(values).map(value -> value.name().toLowerCase(Locale.ROOT)).iterator();
  }

  /** The states of a message. */
  public static final class States extends LowerCase {
    States() {
      super(State.values());
    }
  }

  /** The reasons of dead letters. */
  public static final class DeadReasons extends LowerCase {
    DeadReasons() {
      super(DeadReason.values());
    }
  }

  /** The modes of a schedule whose id is already in the queue. */
  public static final class IfPresents extends LowerCase {
    IfPresents() {
      super(IfPresent.values());
    }
  }

  /** The treatments of leased messages in a copy. */
  public static final class LeasedTreatments extends LowerCase {
    LeasedTreatments() {
      super(LeasedMessages.values());
    }
  }

  /** The formats of data. */
  public static final class Formats extends LowerCase {
    Formats() {
      super(OutputFormat.values());
    }
  }
}
