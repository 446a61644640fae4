package io.punctual.internal.runtime;

import io.punctual.WorkerFigures;
import java.time.Duration;

/** The implementation of {@link WorkerFigures}. Immutable. */
public record CountedFigures(
    long handled,
    long failed,
    int running,
    Duration recent,
    long recentlyHandled,
    long recentlyFailed,
    LatenessHistogram lateness)
    implements WorkerFigures {}
