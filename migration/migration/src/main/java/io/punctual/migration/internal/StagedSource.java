package io.punctual.migration.internal;

import java.util.List;

/** A source whose staging is in Redis. Not thread-safe. */
public abstract class StagedSource implements ImportSource {
  private final RedisStaging staging;

  /** Creates a source whose staging this importer owns. */
  protected StagedSource(RedisStaging staging) {
    this.staging = staging;
  }

  protected abstract List<ImportEntry> entries(List<RedisStaging.Scored> scored);

  protected final RedisStaging staging() {
    return staging;
  }

  protected static List<byte[]> tokens(List<ImportEntry> entries) {
    return entries.stream().map(ImportEntry::token).toList();
  }

  @Override
  public final List<ImportEntry> staged(long offset, int max) {
    return entries(staging.staged(offset, max));
  }

  @Override
  public final List<ImportEntry> marked(int max) {
    return entries(staging.marked(max));
  }

  @Override
  public final List<ImportEntry> mark(List<ImportEntry> entries) {
    return staging.mark(entries);
  }

  @Override
  public final List<ImportEntry> gone(List<ImportEntry> entries) {
    return staging.gone(entries);
  }

  @Override
  public final long countStaged() {
    return staging.countStaged();
  }

  @Override
  public final void remove(List<ImportEntry> entries) {
    staging.remove(tokens(entries));
  }
}
