/**
 * {@link io.punctual.contract.StoreContract}, the suite of tests that every store passes, and the
 * types that the author of a store implements to run it.
 */
@NullMarked
package io.punctual.contract;

import org.jspecify.annotations.NullMarked;
