package io.punctual.error;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads the classes of Punctual anew, with calls of {@link Injection#point} where they may allocate
 * memory. Thread-safe.
 */
final class InjectingLoader extends ClassLoader {
  private static final String POINTS = Injection.class.getName().replace('.', '/');

  /** Methods of the JDK that allocate nothing, in the uses of Punctual. */
  private static final Set<String> WITHOUT_ALLOCATION =
      Set.of(
          ("lock unlock get set compareAndSet compareAndExchange incrementAndGet decrementAndGet"
                  + " getAndIncrement getAndSet isEmpty size peek poll element contains containsKey"
                  + " remove removeFirst removeLast clear equals hashCode currentThread interrupt"
                  + " interrupted max min toNanos toMillis toMicros nanoTime isDone isPresent"
                  + " isCancelled isCompletedExceptionally signal requireNonNull getName length charAt"
                  + " ordinal hasNext next intValue longValue booleanValue isHeldByCurrentThread"
                  + " getOrDefault startsWith getKey getValue first test run accept apply getAsBoolean"
                  + " getAsInt getAsLong")
              .split(" "));

  InjectingLoader() {
    super(InjectingLoader.class.getClassLoader());
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("io.punctual.") || name.equals(Injection.class.getName())) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] code = in.readAllBytes();
      byte[] changed = isInstrumented(name) ? instrumented(code) : code;
      return defineClass(name, changed, 0, changed.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isInstrumented(String name) {
    return name.startsWith("io.punctual.internal.")
        || name.startsWith("io.punctual.memory.")
        || name.startsWith("io.punctual.embedded.")
        || name.startsWith("io.punctual.spi.SessionTable");
  }

  private static byte[] instrumented(byte[] code) {
    ClassReader reader = new ClassReader(code);
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            return name.equals("<clinit>") ? next : new Points(next);
          }
        },
        0);
    return writer.toByteArray();
  }

  /** Adds a point to each instruction that may allocate memory. */
  private static final class Points extends MethodVisitor {
    Points(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      super.visitTypeInsn(opcode, type);
      // The point follows the allocation, because frames refer to its place in the code.
      if (opcode == Opcodes.NEW || opcode == Opcodes.ANEWARRAY) {
        point();
      }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
      super.visitIntInsn(opcode, operand);
      if (opcode == Opcodes.NEWARRAY) {
        point();
      }
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (owner.startsWith("java/")
          && opcode != Opcodes.INVOKESPECIAL
          && !WITHOUT_ALLOCATION.contains(name)) {
        point();
      }
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String descriptor, Handle bootstrap, Object... arguments) {
      point();
      super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
    }

    private void point() {
      super.visitMethodInsn(Opcodes.INVOKESTATIC, POINTS, "point", "()V", false);
    }
  }
}
