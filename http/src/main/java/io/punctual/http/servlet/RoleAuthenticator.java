package io.punctual.http.servlet;

import io.punctual.http.access.Authenticator;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import io.punctual.http.access.UnauthenticatedException;
import io.punctual.http.exchange.RequestHead;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.HashSet;
import java.util.Set;

/**
 * Trusts the container: the user of the request has the rights to all queues whose roles the user
 * has, such as {@code PUNCTUAL_OBSERVE} for {@link Right#OBSERVE}. Immutable.
 */
public final class RoleAuthenticator implements Authenticator {
  /** The beginning of the names of the roles. */
  public static final String PREFIX = "PUNCTUAL_";

  /** Creates an authenticator. */
  public RoleAuthenticator() {}

  @Override
  public Caller authenticate(RequestHead head) {
    if (!(head instanceof ServletHead servlet)) {
      throw new IllegalStateException("A RoleAuthenticator works only in an ApiServlet");
    }
    HttpServletRequest request = servlet.request();
    Principal user = request.getUserPrincipal();
    if (user == null) {
      throw new UnauthenticatedException("The application does not know the sender");
    }
    Set<Grant> grants = new HashSet<>();
    for (Right right : Right.values()) {
      if (request.isUserInRole(PREFIX + right.name())) {
        grants.add(new Grant(right, ""));
      }
    }
    return new Caller(user.getName(), grants);
  }
}
