package io.punctual.migration.sql;

import io.punctual.PunctualException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A job of Quartz with one of its triggers. Immutable; the arrays must not be changed.
 *
 * @param name the name of the job
 * @param group the group of the job
 * @param jobClass the name of the job's class
 * @param triggerName the name of the trigger
 * @param triggerGroup the group of the trigger
 * @param jobData the bytes of the job's JobDataMap, empty if there is none
 * @param triggerData the bytes of the trigger's JobDataMap, empty if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // The arrays are parsed, not compared.
public record QuartzJob(
    String name,
    String group,
    String jobClass,
    String triggerName,
    String triggerGroup,
    byte[] jobData,
    byte[] triggerData) {

  byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeUTF(name);
      out.writeUTF(group);
      out.writeUTF(jobClass);
      out.writeUTF(triggerName);
      out.writeUTF(triggerGroup);
      out.writeInt(jobData.length);
      out.write(jobData);
      out.write(triggerData);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static QuartzJob of(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      return new QuartzJob(
          in.readUTF(),
          in.readUTF(),
          in.readUTF(),
          in.readUTF(),
          in.readUTF(),
          in.readNBytes(in.readInt()),
          in.readAllBytes());
    } catch (IOException e) {
      throw new PunctualException("The bytes are no job of Quartz", e);
    }
  }
}
