/** Drivers of `bench/browsers/package.json`, which the root does not install: packages by name, with the little of them that the bench uses. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../src/package-root.js';
import { join } from 'node:path';

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

const { resolve } = createRequire(join(packageRoot, 'bench/browsers/package.json'));

export async function loadOptional<T>(name: string): Promise<T> {
  try {
    const module = (await import(pathToFileURL(resolve(name)).href)) as { default?: T };
    return (module.default ?? module) as T;
  } catch (error) {
    throw new ToolMissing(`${name} is not installed: npm ci --prefix bench/browsers`, { cause: error });
  }
}
