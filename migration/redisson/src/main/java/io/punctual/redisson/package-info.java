/** The codecs of Redisson, for messages that were imported from Redisson. */
@NullMarked
package io.punctual.redisson;

import org.jspecify.annotations.NullMarked;
