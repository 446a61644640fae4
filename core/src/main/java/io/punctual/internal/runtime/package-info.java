/**
 * The common base of the other internal packages: time, limits, threads, waiting, failures and
 * logs.
 */
@NullMarked
package io.punctual.internal.runtime;

import org.jspecify.annotations.NullMarked;
