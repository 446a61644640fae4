package io.punctual.migration.sql;

/** Takes the place of Quartz's class of this name in {@link SerializedJobData}. */
final class JobDataMap extends StringKeyDirtyFlagMap {
  private static final long serialVersionUID = -6939901990106713909L;
}
