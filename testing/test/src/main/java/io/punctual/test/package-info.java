/**
 * For tests of applications: {@link io.punctual.test.ManualClock}, a clock and timer that a test
 * advances, so that thirty minutes pass in a millisecond.
 */
@NullMarked
package io.punctual.test;

import org.jspecify.annotations.NullMarked;
