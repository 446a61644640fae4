package io.punctual.migration.sql;

/** Takes the place of Quartz's class of this name in {@link SerializedJobData}. */
@SuppressWarnings("UnusedVariable") // The field belongs to the serialized form.
class StringKeyDirtyFlagMap extends DirtyFlagMap {
  private static final long serialVersionUID = -9076749120524952280L;

  private boolean allowsTransientData;
}
