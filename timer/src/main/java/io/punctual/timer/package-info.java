/**
 * Timers by the million: a hierarchical timing wheel to drive by hand ({@code TimingWheel}), the
 * same algorithm over primitive slots, and a thread-safe timer that sleeps exactly until the next
 * expiry ({@code WheelTimer}).
 */
@NullMarked
package io.punctual.timer;

import org.jspecify.annotations.NullMarked;
