/**
 * What tests need: {@link io.punctual.testkit.ManualClock}, so that thirty minutes pass in a
 * millisecond, and {@link io.punctual.testkit.StoreContract}, the suite that every store passes.
 */
@NullMarked
package io.punctual.testkit;

import org.jspecify.annotations.NullMarked;
