package io.punctual.contract;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Injects an empty partition, its session, or the test instance into test methods. */
final class TestPartitionResolver implements ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(TestPartitionResolver.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == TestPartition.class || type == TestSession.class || type == StoreContract.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    StoreContract contract = (StoreContract) context.getRequiredTestInstance();
    Class<?> type = parameter.getParameter().getType();
    if (type == StoreContract.class) {
      return contract;
    }
    TestPartition partition =
        context
            .getStore(NAMESPACE)
            .computeIfAbsent(
                TestPartition.class, key -> contract.newPartition(), TestPartition.class);
    return type == TestPartition.class ? partition : partition.session();
  }
}
