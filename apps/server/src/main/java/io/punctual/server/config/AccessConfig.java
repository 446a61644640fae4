package io.punctual.server.config;

import io.punctual.http.access.AccessToken;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * The callers and their rights.
 *
 * @param roles the rights by the names of roles
 * @param tokens the tokens
 * @param certificates the callers by the subjects of their certificates
 * @param issuers the issuers of signed tokens
 */
public record AccessConfig(
    Map<String, Set<Grant>> roles,
    List<AccessToken> tokens,
    Map<String, Caller> certificates,
    List<Issuer> issuers) {

  /**
   * An issuer of signed tokens (JWT).
   *
   * @param issuer the claim {@code iss}
   * @param audience what the claim {@code aud} must contain
   * @param keys the address of its keys (JWKS)
   * @param roleClaim the claim with the names of roles
   * @param roles the rights by the names of roles
   */
  public record Issuer(
      String issuer, String audience, URI keys, String roleClaim, Map<String, Set<Grant>> roles) {
    /** How much the clocks of the issuer and of the server may differ. */
    public static final Duration SKEW = Duration.ofSeconds(60);
  }

  /** Returns whether nobody has to say who he is. */
  public boolean isOpen() {
    return tokens.isEmpty() && certificates.isEmpty() && issuers.isEmpty();
  }

  static AccessConfig of(Section root) {
    Map<String, Set<Grant>> roles = roles(root.section("roles"));
    List<AccessToken> tokens = new ArrayList<>();
    for (Section one : root.sections("tokens")) {
      tokens.add(token(one, roles));
    }
    Map<String, Caller> certificates = new LinkedHashMap<>();
    Set<@Nullable X500Principal> subjects = new HashSet<>();
    for (Section one : root.sections("certificates")) {
      String subject = one.requiredText("subject");
      // Compared as the authenticator does: the case of letters and spaces make no difference.
      if (!subjects.add(one.value("subject", X500Principal::new))) {
        throw one.failure("subject", "stands there twice, maybe in another case of letters");
      }
      String name = one.text("name");
      certificates.put(subject, new Caller(name == null ? subject : name, grants(one, roles)));
    }
    List<Issuer> issuers = new ArrayList<>();
    for (Section one : root.sections("issuers")) {
      String claim = one.text("roleClaim");
      issuers.add(
          new Issuer(
              one.requiredText("issuer"),
              one.requiredText("audience"),
              keys(one),
              claim == null ? "roles" : claim,
              roles));
    }
    return new AccessConfig(roles, tokens, certificates, issuers);
  }

  private static URI keys(Section issuer) {
    issuer.requiredText("keys");
    URI keys = issuer.value("keys", URI::create);
    boolean insecure = issuer.isOn("insecureKeys");
    if (keys == null
        || keys.getHost() == null
        || keys.getUserInfo() != null
        || !("https".equals(keys.getScheme()) || (insecure && "http".equals(keys.getScheme())))) {
      throw issuer.failure(
          "keys",
          "must be an https:// address without a user; insecureKeys: true allows http:// as well");
    }
    return keys;
  }

  private static AccessToken token(Section one, Map<String, Set<Grant>> roles) {
    String id = one.requiredText("id");
    String digest = one.requiredText("sha256");
    try {
      return new AccessToken(id, digest, one.instant("expires"), grants(one, roles));
    } catch (IllegalArgumentException e) {
      throw one.failure("id", "or 'sha256' is wrong: " + e.getMessage());
    }
  }

  /** A role is a mapping of rights to prefixes of queues. */
  private static Map<String, Set<Grant>> roles(Section section) {
    Map<String, Set<Grant>> roles = new LinkedHashMap<>();
    for (String name : section.names()) {
      Section role = section.section(name);
      Set<Grant> grants = new LinkedHashSet<>();
      for (Right right : Right.values()) {
        for (String prefix : role.texts(right.name().toLowerCase(Locale.ROOT))) {
          grants.add(new Grant(right, prefix.equals("*") ? "" : prefix));
        }
      }
      roles.put(name, grants);
    }
    return roles;
  }

  private static Set<Grant> grants(Section one, Map<String, Set<Grant>> roles) {
    one.requiredText("role");
    Set<Grant> all = new HashSet<>();
    for (String name : one.texts("role")) {
      @Nullable Set<Grant> grants = roles.get(name);
      if (grants == null) {
        throw one.failure("role", "names the role '" + name + "', which 'roles' has not");
      }
      all.addAll(grants);
    }
    return all;
  }
}
