/**
 * Which partition a message goes to: by its key, as kafkajs has it, except for messages that stand alone. Those of some hundred milliseconds go
 * to one partition together and the next ones to another: a send is then one batch on one partition rather than a handful, and whoever
 * reads takes one batch in one transaction rather than one from each partition.
 */
import { Partitioners, type ICustomPartitioner, type Message } from 'kafkajs';

/** As long as readers let a batch fill up. */
const stayMs = 200;

const alone = new WeakSet<Message>();

/** Marks a message as one whose key no other has. */
export function markAlone(message: Message): Message {
  alone.add(message);
  return message;
}

/** Processes begin at different partitions, so that they do not all write to the same one. */
const first = Math.floor(Math.random() * 1_000);

export const sharingPartitioner: ICustomPartitioner = () => {
  const byKey = Partitioners.DefaultPartitioner();
  return (args) => {
    if (!alone.has(args.message)) return byKey(args);
    const led = args.partitionMetadata.filter(({ leader }) => leader >= 0);
    const choice = led.length > 0 ? led : args.partitionMetadata;
    return choice[(first + Math.floor(performance.now() / stayMs)) % choice.length]?.partitionId ?? 0;
  };
};
