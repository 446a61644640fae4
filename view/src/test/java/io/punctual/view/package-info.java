@NullMarked
package io.punctual.view;

import org.jspecify.annotations.NullMarked;
