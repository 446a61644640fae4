@NullMarked
package io.punctual.http;

import org.jspecify.annotations.NullMarked;
