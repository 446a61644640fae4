package io.punctual.docs;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExportsTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** The names of the public or protected types and members in the sources. */
record PublicNames(Set<String> types, Set<String> members) {
  static PublicNames of(List<Path> files) throws IOException {
    List<String> texts = new ArrayList<>();
    for (Path file : files) {
      texts.add(Files.readString(file));
    }
    return parse(texts);
  }

  static PublicNames ofText(String text) {
    return parse(List.of(text));
  }

  /** Returns the packages that a module descriptor exports to all modules. */
  static List<String> exports(Path descriptor) {
    List<String> packages = new ArrayList<>();
    try {
      for (CompilationUnitTree unit : trees(List.of(Files.readString(descriptor)))) {
        unit.accept(new Exports(), packages);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packages;
  }

  private static PublicNames parse(List<String> texts) {
    PublicNames names = new PublicNames(new TreeSet<>(), new TreeSet<>());
    for (CompilationUnitTree unit : trees(texts)) {
      for (Tree type : unit.getTypeDecls()) {
        if (type instanceof ClassTree declaration) {
          names.add(declaration, false);
        }
      }
    }
    return names;
  }

  private static Iterable<? extends CompilationUnitTree> trees(List<String> texts) {
    List<Text> sources = texts.stream().map(Text::new).toList();
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of("-proc:none"), null, sources);
    try {
      return task.parse();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(ClassTree type, boolean ofInterface) {
    if (!ofInterface && !isVisible(type.getModifiers())) {
      return;
    }
    types.add(type.getSimpleName().toString());
    boolean isInterface =
        type.getKind() == Tree.Kind.INTERFACE || type.getKind() == Tree.Kind.ANNOTATION_TYPE;
    for (Tree member : type.getMembers()) {
      addMember(member, isInterface, type.getKind() == Tree.Kind.RECORD);
    }
  }

  private void addMember(Tree member, boolean ofInterface, boolean ofRecord) {
    if (member instanceof ClassTree nested) {
      add(nested, ofInterface);
    } else if (member instanceof MethodTree method) {
      ModifiersTree modifiers = method.getModifiers();
      if (isVisible(modifiers)
          || (ofInterface && !modifiers.getFlags().contains(Modifier.PRIVATE))) {
        members.add(method.getName().toString());
      }
    } else if (member instanceof VariableTree field) {
      ModifiersTree modifiers = field.getModifiers();
      boolean isComponent = ofRecord && !modifiers.getFlags().contains(Modifier.STATIC);
      if (ofInterface || isComponent || isVisible(modifiers)) {
        members.add(field.getName().toString());
      }
    }
  }

  private static boolean isVisible(ModifiersTree modifiers) {
    return modifiers.getFlags().contains(Modifier.PUBLIC)
        || modifiers.getFlags().contains(Modifier.PROTECTED);
  }

  private static final class Exports extends TreeScanner<Void, List<String>> {
    @Override
    public Void visitExports(ExportsTree exports, List<String> packages) {
      if (exports.getModuleNames() == null) {
        packages.add(exports.getPackageName().toString());
      }
      return null;
    }
  }

  private static final class Text extends SimpleJavaFileObject {
    private final String text;

    Text(String text) {
      super(URI.create("string:///Source.java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
