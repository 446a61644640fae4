package io.punctual.testkit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives every test that asks for it an empty lane, and the session on it. */
final class TestLaneResolver implements ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(TestLaneResolver.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == TestLane.class || type == TestSession.class || type == StoreContract.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    StoreContract contract = (StoreContract) context.getRequiredTestInstance();
    Class<?> type = parameter.getParameter().getType();
    if (type == StoreContract.class) {
      return contract;
    }
    TestLane lane =
        context
            .getStore(NAMESPACE)
            .computeIfAbsent(TestLane.class, key -> contract.newLane(), TestLane.class);
    return type == TestLane.class ? lane : lane.session();
  }
}
