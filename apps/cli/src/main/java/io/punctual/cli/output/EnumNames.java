package io.punctual.cli.output;

import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.deadletter.DeadReason;
import io.punctual.migration.copy.LeasedMessages;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The names of an enum in lower case, for the help and for shell completion. */
public abstract class EnumNames implements Iterable<String> {
  private final List<String> names;

  protected EnumNames(Enum<?>... values) {
    this(Stream.of(values).map(EnumNames::of).toList());
  }

  private EnumNames(List<String> names) {
    this.names = names;
  }

  /** Returns the name of a value in lower case. */
  public static String of(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the name of a value in lower case, with hyphens in place of underscores. */
  public static String hyphenated(Enum<?> value) {
    return of(value).replace('_', '-');
  }

  @Override
  public final Iterator<String> iterator() {
    return names.iterator();
  }

  /** The {@linkplain #hyphenated hyphenated} names of an enum. Also parses them. */
  public abstract static class Hyphenated<E extends Enum<E>> extends EnumNames
      implements ITypeConverter<E> {
    private final String what;
    private final List<E> values;

    /**
     * Creates the names.
     *
     * @param what what a name stands for, as in "a kind of lock"
     */
    protected Hyphenated(String what, E[] values) {
      super(Stream.of(values).map(EnumNames::hyphenated).toList());
      this.what = what;
      this.values = List.of(values);
    }

    @Override
    public final E convert(String text) {
      String name = text.toLowerCase(Locale.ROOT).replace('_', '-');
      return values.stream()
          .filter(value -> hyphenated(value).equals(name))
          .findFirst()
          .orElseThrow(() -> new TypeConversionException("'" + text + "' is not " + what));
    }
  }

  public static final class States extends EnumNames {
    States() {
      super(State.values());
    }
  }

  /** The states of waiting messages. */
  public static final class WaitingStates extends EnumNames {
    WaitingStates() {
      super(State.SCHEDULED, State.READY);
    }
  }

  public static final class DeadReasons extends EnumNames {
    DeadReasons() {
      super(DeadReason.values());
    }
  }

  /** The modes of a schedule whose id is already in the queue. */
  public static final class IfPresents extends EnumNames {
    IfPresents() {
      super(IfPresent.values());
    }
  }

  /** The treatments of leased messages in a copy. */
  public static final class LeasedTreatments extends EnumNames {
    LeasedTreatments() {
      super(LeasedMessages.values());
    }
  }

  public static final class Formats extends EnumNames {
    Formats() {
      super(OutputFormat.values());
    }
  }
}
