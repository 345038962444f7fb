/** Drivers that a machine may lack: packages by name, with the little of them that the bench uses. */

/** A page of puppeteer and its relatives, of playwright and its relatives alike. */
export interface DriverPage {
  goto(url: string): Promise<unknown>;
  click(selector: string, options?: object): Promise<void>;
  type(selector: string, text: string, options?: { delay: number }): Promise<void>;
  fill?(selector: string, text: string): Promise<void>;
  evaluate(script: string): Promise<unknown>;
  readonly mouse: {
    wheel(...by: unknown[]): Promise<void>;
    move(x: number, y: number, options?: object): Promise<void>;
  };
  readonly keyboard: { type(text: string, options?: { delay: number }): Promise<void> };
}

export interface Puppeteer {
  launch(options: object): Promise<{
    newPage(): Promise<DriverPage>;
    pages(): Promise<DriverPage[]>;
    close(): Promise<void>;
  }>;
  use?(plugin: unknown): Puppeteer;
}

/** Thrown where a tool is missing: the set-up is left out, with a line that says so. */
export class ToolMissing extends Error {}

export async function loadOptional<T>(name: string): Promise<T> {
  try {
    const module = (await import(name)) as { default?: T };
    return (module.default ?? module) as T;
  } catch (error) {
    throw new ToolMissing(`${name} is not installed`, { cause: error });
  }
}
