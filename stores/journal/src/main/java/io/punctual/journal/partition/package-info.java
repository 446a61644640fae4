/**
 * The messages of a queue and the calls that change them: the rules of the store SPI over the index
 * and the log.
 */
@NullMarked
package io.punctual.journal.partition;

import org.jspecify.annotations.NullMarked;
