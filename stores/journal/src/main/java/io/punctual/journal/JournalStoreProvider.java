package io.punctual.journal;

import io.punctual.spi.Store;
import io.punctual.spi.StoreProvider;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Opens {@code journal:PATH}, the {@link JournalStore} in a folder. If the folder does not exist,
 * an owner creates it (unless the option {@code create} forbids it), and a reader fails. The
 * options are:
 *
 * <ul>
 *   <li>{@code fsync}: {@code always} (the default), {@code os}, or an interval such as {@code
 *       200ms}; see {@link Fsync}.
 *   <li>{@code networkFileSystem}: {@code refuse} (the default) or {@code allow}.
 *   <li>{@code create}: {@code true} (the default), or {@code false}, which refuses to open a
 *       folder that has no journal.
 *   <li>{@code access}: {@code own} (the default), or {@code read}, which only reads the files,
 *       even while another process owns the folder.
 * </ul>
 *
 * <p>Stateless, so safe for use by many threads.
 */
public final class JournalStoreProvider implements StoreProvider {
  private static final String FSYNC = "fsync";
  private static final String NETWORK = "networkFileSystem";
  private static final String ACCESS = "access";
  private static final String CREATE = "create";

  /** Called by {@link java.util.ServiceLoader}. */
  public JournalStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("journal");
  }

  @Override
  public Store open(StoreUrl url, DueTimer timer) {
    url.requireKnownOptions(Set.of(FSYNC, NETWORK, ACCESS, CREATE));
    if (url.location().isEmpty()) {
      throw new IllegalArgumentException(
          "A journal is in a folder: write journal:./data, with the folder's path");
    }
    if (url.option(ACCESS).filter(JournalStoreProvider::isReadOnly).isPresent()) {
      refuse(url, FSYNC, NETWORK, CREATE);
      return JournalReader.open(Path.of(url.location()), InstantSource.system());
    }
    JournalStore.Builder builder = JournalStore.builder(Path.of(url.location()));
    url.option(FSYNC).map(Fsync::parse).ifPresent(builder::fsync);
    url.option(NETWORK).ifPresent(value -> builder.allowNetworkFileSystem(isAllowed(value)));
    url.flag(CREATE).ifPresent(builder::create);
    return builder.open();
  }

  private static void refuse(StoreUrl url, String... options) {
    List<String> refused = Stream.of(options).filter(name -> url.option(name).isPresent()).toList();
    if (!refused.isEmpty()) {
      throw new IllegalArgumentException(
          "A journal that is only read has no options "
              + refused
              + ", since it writes nothing; leave them out, or leave "
              + ACCESS
              + "=read out");
    }
  }

  private static boolean isReadOnly(String value) {
    return switch (value) {
      case "read" -> true;
      case "own" -> false;
      default ->
          throw new IllegalArgumentException(ACCESS + " is own or read, but was '" + value + "'");
    };
  }

  private static boolean isAllowed(String value) {
    return switch (value) {
      case "allow" -> true;
      case "refuse" -> false;
      default ->
          throw new IllegalArgumentException(
              NETWORK + " is allow or refuse, but was '" + value + "'");
    };
  }
}
