/** Prints what a command comes to, and nothing else; a fault goes to standard error. */
export async function print(work: () => string | Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await work()}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}
