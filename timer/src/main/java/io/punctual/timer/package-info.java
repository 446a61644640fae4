/**
 * Timers for millions of timeouts: a hierarchical timing wheel that the caller advances ({@code
 * TimingWheel}), the same algorithm over primitive slots ({@code SlotWheel}), and a thread-safe
 * timer that sleeps until exactly the next expiry ({@code WheelTimer}).
 */
@NullMarked
package io.punctual.timer;

import org.jspecify.annotations.NullMarked;
